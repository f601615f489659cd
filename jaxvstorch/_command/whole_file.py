"""A file that is written whole, or not at all."""

import os
import threading
from pathlib import Path


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
