"""Files written whole, and marked, so that a later run replaces no other."""

import errno
import os
import re
import threading
import zlib
from pathlib import Path

# The last line of what this package writes, with a checksum of the lines above it.
_MARK = re.compile(rb"(?:# |<!-- )Written by jaxvstorch, ([0-9a-f]{8})(?: -->)?\n\Z")


def write_marked(text: str, path: Path) -> None:
    """Write a whole file of Python or HTML, with a mark by which it is known again.

    Args:
        text: all that the file is to hold, of whole lines.
        path: of the file.

    Raises:
        OSError: the file cannot be written; see ``require_replaceable`` too.
    """
    require_replaceable(path)
    mark = f"Written by jaxvstorch, {_checksum(_encoded(text))}"
    write_whole(f"{text}<!-- {mark} -->\n" if text[:1] == "<" else f"{text}# {mark}\n", path)


def require_replaceable(path: Path) -> None:
    """Check that a file is absent, empty, or as this package wrote it.

    Raises:
        OSError: it is not, or it cannot be read.
    """
    data = path.read_bytes() if path.is_file() else b""
    mark = _MARK.search(data)
    if data and not (mark and mark[1].decode() == _checksum(data[: mark.start()])):
        why = "it holds text that jaxvstorch did not write: give another name, or remove it"
        raise FileExistsError(errno.EEXIST, why)


def _checksum(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"


def write_whole(text: str | bytes, path: Path) -> None:
    """Write beside the file, then put that in its place: a failure leaves the file as it was.

    What cannot be encoded, such as a half of a surrogate pair, is written as an escape.

    Args:
        text: all that the file is to hold.
        path: of the file; links are followed, and a device or a pipe is written to directly.

    Raises:
        OSError: the file cannot be written.
    """
    data = text if isinstance(text, bytes) else _encoded(text)
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


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
