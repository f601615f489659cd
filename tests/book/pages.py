"""The pages of the book, by the names that they have in its addresses, and how they are shown."""

from pathlib import Path

BOOK = Path(__file__).parents[2] / "book"
PAGES = [
    path.relative_to(BOOK).with_suffix("").as_posix()
    for path in sorted([*BOOK.glob("*.md"), *BOOK.glob("[!_]*/*.md")])
]
TOPICS = [page for page in PAGES if page.startswith("topics/")]

# The folder of the site that the book is published in; the page for wrong addresses relies on it.
PREFIX = "/jaxvstorch/"
SIZES = {"wide": (1440, 900), "phone": (390, 844)}
