"""Shows an error that is expected, without what differs from run to run."""

import operator
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import SupportsIndex

from jaxvstorch._frameworks import installed

# What differs between machines and runs, and tells a reader nothing: addresses in memory, the file
# that a notebook writes each cell to, and the folders that packages are installed in.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+|(?<= id=)\d+")
_CELL = re.compile(r"(?<![^\s\"'(])(?:[^\s\"'(]*/)?ipykernel_\d+/\d+\.py")
# A search that starts inside a word would read the rest of it once for each of its letters.
_PACKAGE = re.compile(r"(?<!\S)\S*[/\\](?:site|dist)-packages[/\\]")


@contextmanager
def expect_error(error: type[BaseException], lines: int = 12) -> Iterator[None]:
    """Run a block that must raise ``error``, and print the message.

    The book uses it wherever a page promises an error: if the block stops raising it, the page
    fails.

    Args:
        error: the class of the error; subclasses count.
        lines: how many lines of its message to print.

    Raises:
        AssertionError: the block did not raise ``error``. Other errors pass through.
        TypeError: ``error`` is not a class of errors, or ``lines`` is not a whole number.
        ValueError: ``lines`` is negative.

    >>> with expect_error(ZeroDivisionError):
    ...     1 / 0
    ZeroDivisionError: division by zero
    """
    if not (isinstance(error, type) and issubclass(error, BaseException)):
        raise TypeError(
            f"error must be one class of errors, such as ValueError, not {error!r}; for any of "
            "several, pass a class that they share, such as Exception"
        )
    if isinstance(lines, bool) or not isinstance(lines, SupportsIndex):
        raise TypeError(f"lines must be a whole number, not {lines!r}")
    if operator.index(lines) < 0:
        raise ValueError(f"lines must not be negative, but is {lines}")
    try:
        yield
    except error as caught:
        message = printable(tidy(str(caught)).strip()).splitlines()
        head = "\n".join(message[:lines])
        print(f"{type(caught).__name__}: {head}" if head else type(caught).__name__)
        if len(message) > lines:
            more = len(message) - lines
            print(f"… ({more} more line{'s' * (more > 1)})")
    else:
        raise AssertionError(f"{error.__name__} was expected here, but nothing was raised")


# A source, a name or a message may hold codes that a terminal would obey.
CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], "\N{REPLACEMENT CHARACTER}")
_IN_LINES = {code: to for code, to in CONTROLS.items() if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    r"""A text of several lines without the codes that a terminal would obey.

    >>> printable("a\x1b[31m\n\tb")
    'a\ufffd[31m\n\tb'
    """
    return text.translate(_IN_LINES)


def tidy(text: str) -> str:
    """A message without memory addresses, files of cells and folders of installed packages.

    >>> tidy("<function f at 0x7f00c0de> in /usr/lib/python3/site-packages/jax/core.py")
    '<function f> in jax/core.py'
    """
    text = _PACKAGE.sub("", _CELL.sub("<cell>", _ADDRESS.sub("", text)))
    for folder in (str(Path(__file__).parents[1]), *installed.folders().libraries):
        text = text.replace(os.path.join(folder, ""), "")
    return text
