"""A file that is there whole or not at all, and the newest of them that is.

A second, small file keeps the size and the digest of the first. It is put in place before it, so
that a checkpoint never stands alone.
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TextIO


class IncompleteCheckpointError(ValueError):
    """A checkpoint is not what was written. The message names it and says why."""


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write under another name, wait until the bytes are on the disk, and rename.

    Args:
        path: where the checkpoint will stand.
        write: writes it to a file that it is given, such as ``lambda f: torch.save(state, f)``.

    Raises:
        FileExistsError: there is one already.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already")
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as file:
        write(file)
        _to_disk(file)
    digest = path.with_name(f".{path.name}.digest.tmp")
    with digest.open("w") as file:
        json.dump(_digest(temporary), file)
        _to_disk(file)
    os.replace(digest, _digest_of(path))
    os.replace(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)  # a rename is a change of the folder
    os.fsync(folder)
    os.close(folder)
    return path


def require_whole(path: Path) -> None:
    """Compare a checkpoint with the size and the digest that were written with it.

    Raises:
        IncompleteCheckpointError: it is shorter, longer or different, or has no digest.
        FileNotFoundError: there is no such checkpoint.
    """
    now = _digest(path)
    try:
        then = json.loads(_digest_of(path).read_text())
    except (OSError, ValueError) as error:
        raise IncompleteCheckpointError(f"{path.name}: no digest was written with it") from error
    if now["bytes"] != then["bytes"]:
        has, had = now["bytes"], then["bytes"]
        raise IncompleteCheckpointError(f"{path.name}: has {has} bytes, but {had} were written")
    if now != then:
        raise IncompleteCheckpointError(f"{path.name}: its bytes are not those that were written")


def latest_complete(folder: Path, pattern: str) -> Path:
    """The last checkpoint by name that is whole; those that are not are passed over.

    Raises:
        IncompleteCheckpointError: none is whole. The message says why of each.
    """
    reasons = []
    for path in sorted(folder.glob(pattern), reverse=True):
        if path.name.startswith("."):
            continue  # what a process left that was killed while it wrote
        try:
            require_whole(path)
        except IncompleteCheckpointError as error:
            reasons.append(str(error))
        else:
            return path
    found = "\n".join(reasons) or f"there is no {pattern} in {folder}"
    raise IncompleteCheckpointError(f"no complete checkpoint\n{found}")


def _digest(path: Path) -> dict[str, int | str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def _digest_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.digest")


def _to_disk(file: BinaryIO | TextIO) -> None:
    file.flush()
    os.fsync(file.fileno())
