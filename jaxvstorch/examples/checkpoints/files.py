"""Files that are complete or absent, and the newest complete one.

A second, small file keeps the size and the digest of the first. It is put in place first, so that
no checkpoint is ever without it.
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TextIO


class IncompleteCheckpointError(ValueError):
    """A checkpoint is not what was written. The message says which one, and why."""


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write under another name, wait until the bytes are on the disk, and rename.

    A checkpoint that was cut or changed afterwards is replaced: a run that resumed before it
    reaches the same step again.

    Args:
        path: of the checkpoint.
        write: writes it to an open file, such as ``lambda f: torch.save(state, f)``.

    Raises:
        FileExistsError: a complete one is there already, or something that was not written here.
    """
    if path.exists() and not _is_damaged(path):
        raise FileExistsError(f"{path} is there already")
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as file:
        write(file)
        _to_disk(file)
    digest = path.with_name(f".{path.name}.digest.tmp")
    with digest.open("w") as file:
        json.dump(_digest(temporary), file)
        _to_disk(file)
    _rename(digest, _digest_of(path))
    _rename(temporary, path)
    return path


def require_whole(path: Path) -> None:
    """Compare a checkpoint with the size and the digest that were written with it.

    Raises:
        IncompleteCheckpointError: it is shorter, longer or different, or has no digest.
        FileNotFoundError: there is no such checkpoint.
    """
    if path.is_dir():
        raise IncompleteCheckpointError(f"{path.name}: is a folder, not a file")
    now, then = _digest(path), _written(path)
    if now["bytes"] != then["bytes"]:
        has, had = now["bytes"], then["bytes"]
        raise IncompleteCheckpointError(f"{path.name}: has {has} bytes, but {had} were written")
    if now != then:
        raise IncompleteCheckpointError(f"{path.name}: its bytes are not those that were written")


def latest_complete(folder: Path, pattern: str) -> Path:
    """The last complete checkpoint by name; damaged ones are skipped.

    Of two names the longer one is the later: ``step_10`` comes after ``step_9``.

    Raises:
        IncompleteCheckpointError: none is complete. The message says why for each.
    """
    reasons = []
    for path in sorted(folder.glob(pattern), key=lambda p: (len(p.name), p.name), reverse=True):
        if path.name.startswith(".") or path.suffix == ".digest":
            continue  # a digest, or what a process left that was killed while it wrote
        try:
            require_whole(path)
        except FileNotFoundError:  # another process has deleted it, or it is a link to nothing
            reasons.append(f"{path.name}: is not there any more")
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


def _written(path: Path) -> dict[str, int | str]:
    try:
        found = json.loads(_digest_of(path).read_text())
        return {name: found[name] for name in ("bytes", "sha256")}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise IncompleteCheckpointError(f"{path.name}: no digest was written with it") from error


def _is_damaged(path: Path) -> bool:
    if not (path.is_file() and _digest_of(path).is_file()):
        return False
    try:
        require_whole(path)
    except IncompleteCheckpointError:
        return True
    return False


def _digest_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.digest")


def _rename(old: Path, new: Path) -> None:
    os.replace(old, new)
    folder = os.open(new.parent, os.O_RDONLY)  # a rename is a change of the folder
    os.fsync(folder)
    os.close(folder)


def _to_disk(file: BinaryIO | TextIO) -> None:
    file.flush()
    os.fsync(file.fileno())
