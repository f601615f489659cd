"""What people ask the map for, and the names that may come first: ``queries.txt``."""

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
_PAIRS = [line.split(" => ") for line in _LINES if " => " in line]
# No name of the map is right where it says `nothing`.
QUERIES = {typed: [] if names == "nothing" else names.split(" | ") for typed, names in _PAIRS}


def wrong(first: dict[str, str | None]) -> dict[str, str | None]:
    """The questions whose first answer is not one that is right.

    Args:
        first: the name that each question gave first, or ``None``.
    """
    return {
        typed: first[typed]
        for typed, right in QUERIES.items()
        if (first[typed] not in right if right else first[typed] is not None)
    }
