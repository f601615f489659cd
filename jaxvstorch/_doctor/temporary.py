"""The folder for temporary files: without room in it neither Inductor nor the compiler works."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jaxvstorch._doctor.check import Check

_NAMES = ("TMPDIR", "TEMP", "TMP")  # the first that is set counts
_SIZE = 2**20  # bytes; what compiling one kernel may leave there for a while


def check(environ: Mapping[str, str]) -> Check:
    """Whether files can be written where the compiler and Python put temporary ones."""
    name = next((name for name in _NAMES if environ.get(name)), None)
    folder = environ[name] if name else "/tmp"
    shown = folder if name else f"not set: {folder}"
    name = name or "TMPDIR"
    problem = refusal(Path(folder))
    if problem is None:
        return Check("compiler", name, shown)
    cure = f"set {name} to a writable folder, or free some space in {folder}"
    problem = f"{problem}, and torch.compile's temporary files go there"
    return Check("compiler", name, shown, problem, cure)


def refusal(folder: Path) -> str | None:
    """Why a file of one MiB cannot be written in a folder, or ``None`` where it can."""
    if not folder.is_dir():
        return f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}"
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(os.urandom(_SIZE))  # a file system may keep zeros without any room
            return None if file.tell() == _SIZE else f"{folder} has no space left"
    except OSError as error:
        return f"{folder} cannot be written: {error.strerror}"


def usable(environ: Mapping[str, str]) -> str | None:
    """A folder in which temporary files can be written: the one that is set, else Python's."""
    folders = [environ[name] for name in _NAMES if environ.get(name)] + [default()]
    return next((folder for folder in folders if refusal(Path(folder)) is None), None)


def default() -> str:
    """Where Python puts temporary files."""
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:  # Python found no folder that it can write to
        return "/tmp"
