"""The file that an option asks for: whether it can be written, and writing a page."""

import os
from pathlib import Path

from jaxvstorch._command import BadInputError
from jaxvstorch._files import require_replaceable, write_marked


def check_page(path: Path, target: str = "", option: str = "--html") -> None:
    """Refuse, before any work is done, a path that no page can be written to.

    Args:
        path: of the page.
        target: what is read, as FILE.py:function, if any; the page must not replace its file.
        option: that gave the path.
    """
    try:
        _check(path, Path(target.rpartition(":")[0]), option)
        if option != "--file":  # which `show` compares with what it writes
            require_replaceable(path)
    except OSError as error:  # a name that is too long, a folder that cannot be looked into
        raise BadInputError(f"{option} {path} cannot be written: {error.strerror}") from error


def _check(path: Path, source: Path, option: str) -> None:
    if path.is_dir():
        raise BadInputError(f"{option} {path} is a folder: give the name of a file")
    if path.exists() and source.exists() and path.samefile(source):
        raise BadInputError(f"{option} {path} is the input file: give another name")
    if not path.parent.is_dir():
        raise BadInputError(f"{option} {path}: there is no folder {path.parent}: create it first")
    if not os.access(path.parent, os.W_OK):
        raise BadInputError(f"{option} {path}: the folder {path.parent} cannot be written to")


def write_page(path: Path, page: str) -> None:
    """Write the whole page, or leave the file as it was."""
    try:
        write_marked(page, path)
    except OSError as error:
        raise BadInputError(f"--html {path} cannot be written: {error.strerror}") from error
