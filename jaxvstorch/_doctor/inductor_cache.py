"""Inductor's cache on disk: torch.compile trusts the files that it finds there.

An incomplete kernel (``.so``) or module (``.py``) makes the same torch.compile fail with
``BackendCompilerFailed`` in each new process; at best the message names an error of the C library.
An incomplete graph is compiled again, after a warning. Only deleting the files helps.
"""

import getpass
import math
import os
import pickletools
import re
import shlex
import struct
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from jaxvstorch._doctor import temporary
from jaxvstorch._doctor.check import Check

_MOST = 1_000  # how many files are read: the newest, which are the ones in use
_ELF, _HEADER = b"\x7fELF\x02\x01", 64  # how a library for a 64-bit Linux begins; bytes
_BEING_WRITTEN = 60  # seconds that an incomplete file may be new
_PICKLES = ("fxgraph", "aotautograd")  # the folders that hold compiled graphs


def check(environ: Mapping[str, str], needed: bool) -> list[Check]:
    """Whether the files in Inductor's cache are complete.

    Args:
        environ: environment variables.
        needed: whether PyTorch is installed, which reads them.
    """
    folder = _folder(environ)
    if not needed or folder is None or not os.path.isdir(folder):  # also of a name that is too long
        return []
    files = sorted(_files(folder), key=_age)
    with warnings.catch_warnings(action="ignore"):  # of how a module is written
        damaged = [path for path in files[:_MOST] if not _is_whole(path)]
    count = f"{len(files):,} files" if len(files) != 1 else "1 file"
    value = f"{count} in {folder}" + f", the newest {_MOST:,} read" * (len(files) > _MOST)
    if not damaged:
        return [Check("caches", "Inductor's files", value)]
    if all(_age(path) < _BEING_WRITTEN for path in damaged):
        why = "incomplete and new: perhaps torch.compile is writing it; run this again"
        return [Check("caches", "Inductor's files", value, note=f"{damaged[0]} is {why}")]
    others = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
    problem = (
        f"incomplete: {damaged[0]}{others}; torch.compile fails or compiles again if it reads one"
    )
    cure = f"rm -r {shlex.quote(str(folder))}; PyTorch compiles what it held again when needed"
    return [Check("caches", "Inductor's files", value, problem, cure)]


def _folder(environ: Mapping[str, str]) -> Path | None:
    """As PyTorch documents it: ``TORCHINDUCTOR_CACHE_DIR``, else ``/tmp/torchinductor_USER``."""
    if given := environ.get("TORCHINDUCTOR_CACHE_DIR"):
        return Path(given).absolute()
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return None
    return Path(temporary.default(), "torchinductor_" + re.sub(r'[\\/:*?"<>|]', "_", user))


def _files(folder: Path) -> Iterator[Path]:
    """The files whose content torch.compile reads; a lock has none."""
    for directory, _, names in os.walk(folder):
        for path in (Path(directory, name) for name in names):
            if path.suffix in (".so", ".py") or path.relative_to(folder).parts[0] in _PICKLES:
                yield path


def _age(path: Path) -> float:
    """Seconds since a file was written."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return math.inf


def _is_whole(path: Path) -> bool:
    try:
        data = path.read_bytes()
        if path.suffix == ".py":
            return bool(data) and compile(data, path, "exec", dont_inherit=True) is not None
        if path.suffix == ".so":
            return _is_whole_library(data)
        for _ in pickletools.genops(data):  # reads, and unlike loading runs nothing
            pass
    except FileNotFoundError:  # another process has just deleted it
        return True
    except (OSError, ValueError, SyntaxError):
        return False
    return True


def _is_whole_library(data: bytes) -> bool:
    """Whether a library has all bytes up to the end of the table that a linker puts last."""
    if not sys.platform.startswith("linux"):  # other systems build libraries differently
        return bool(data)
    if not data.startswith(_ELF) or len(data) < _HEADER:
        return False
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    return bool(start + size * count <= len(data))
