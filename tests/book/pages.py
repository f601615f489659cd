"""The pages of the book, by the names that they have in its addresses."""

from pathlib import Path

BOOK = Path(__file__).parents[2] / "book"
PAGES = [
    path.relative_to(BOOK).with_suffix("").as_posix()
    for path in sorted([*BOOK.glob("*.md"), *BOOK.glob("[!_]*/*.md")])
]
