"""How many columns of a terminal a text takes: of the scripts of East Asia two for a character."""

import unicodedata


def width(text: str) -> int:
    """The columns that a text takes.

    >>> width("x = 1"), width("变量 = 1")
    (5, 8)
    """
    return len(text) if text.isascii() else sum(map(_of_one, text))


def padded(text: str, columns: int) -> str:
    """The text with blanks behind it, to fill its column."""
    return text + " " * (columns - width(text))


def fitting(text: str, columns: int) -> int:
    """How many characters at the beginning of a text fit; at least one, if there is one."""
    if text.isascii():
        return min(len(text), max(columns, 1))
    used = 0
    for number, character in enumerate(text):
        used += _of_one(character)
        if used > columns and number:
            return number
    return len(text)


def _of_one(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0  # it stands on or within the one before it
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
