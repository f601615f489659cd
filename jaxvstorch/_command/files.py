"""The file that an option asks for: whether it can be written, and writing it whole."""

import os
import threading
from pathlib import Path

from jaxvstorch._command import BadInputError


def check_page(path: Path, target: str = "", option: str = "--html") -> None:
    """Refuse, before any work is done, a path that no page can be written to.

    Args:
        path: of the page.
        target: what is read, as FILE.py:function, if any; the page must not replace its file.
        option: that gave the path.
    """
    try:
        _check(path, Path(target.rpartition(":")[0]), option)
    except OSError as error:  # a name that is too long, a folder that cannot be looked into
        raise BadInputError(f"{option} {path} cannot be written: {error.strerror}") from error


def _check(path: Path, source: Path, option: str) -> None:
    if path.is_dir():
        raise BadInputError(f"{option} {path} is a folder: give the name of a file")
    if path.exists() and source.exists() and path.samefile(source):
        raise BadInputError(f"{option} {path} is the file that is read: give another name")
    if not path.parent.is_dir():
        raise BadInputError(f"{option} {path}: there is no folder {path.parent}: make it first")
    if not os.access(path.parent, os.W_OK):
        raise BadInputError(f"{option} {path}: the folder {path.parent} cannot be written to")


def write_page(path: Path, page: str) -> None:
    """Write the whole page, or leave the file as it was."""
    try:
        write_whole(page, path)
    except OSError as error:
        raise BadInputError(f"--html {path} cannot be written: {error.strerror}") from error


def write_whole(text: str, path: Path) -> None:
    """Write beside the file, then put that in its place: a failure leaves the file as it was.

    What cannot be encoded, such as a half of a surrogate pair, is written as an escape.

    Args:
        text: all that the file is to hold.
        path: of the file; links are followed, and a device or a pipe is written to directly.

    Raises:
        OSError: the file cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    if path.exists() and not path.is_file():  # before links are followed: a pipe has no real path
        path.write_bytes(data)
        return
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{os.getpid()}-{threading.get_ident()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
