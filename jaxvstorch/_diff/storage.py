"""Memory for a run's arrays: the process's own up to a limit, and then that of temporary files."""

import os
import tempfile
from typing import IO, Any

import numpy as np

_Array = np.ndarray[Any, Any]

LIMIT = 1 << 29  # bytes of one side's arrays that stay in the process's own memory
_BLOCK = 1 << 26  # bytes of a file
_SMALL = 1 << 12  # bytes: what is smaller stays in memory
ALIGNED = 64  # bytes: so an array must lie for JAX to use it without a copy


class FullDiskError(OSError):
    """A temporary file has no room for the arrays of a run."""


class Storage:
    """Gives arrays room in temporary files, from which the operating system can free memory.

    A file has no name, or loses it, before anything is written: it is gone when its last array is,
    however the process ends.
    """

    def __init__(self) -> None:
        self._left = LIMIT
        self._block = np.empty(0, np.uint8)
        self._used = 0  # of the block
        self._total = 0  # of all blocks

    def moved(self, array: _Array) -> _Array | None:
        """A copy of an array in a file; None while there is room for it in memory.

        Raises:
            FullDiskError: there is no room for it in either.
        """
        if array.nbytes < _SMALL:
            return None
        if array.nbytes <= self._left:
            self._left -= array.nbytes
            return None
        if self._used + array.nbytes > self._block.size:
            # Each holds a file descriptor: the more there are, the larger the next one is.
            self._block = _file_of(max(_BLOCK, self._total >> 5, array.nbytes))
            self._used, self._total = 0, self._total + self._block.size
        room = self._block[self._used : self._used + array.nbytes]
        self._used += -(-array.nbytes // ALIGNED) * ALIGNED
        copy: _Array = room.view(array.dtype).reshape(array.shape)
        copy[...] = array
        return copy


def _file_of(size: int) -> _Array:
    """The bytes of a new file."""
    try:
        with tempfile.TemporaryFile(prefix="jaxvstorch-") as file:
            _allocate(file, size)
            return np.asarray(np.memmap(file, np.uint8, "r+", shape=(size,)))
    except OSError as error:
        raise FullDiskError(
            error.errno,
            f"the arrays of large models go to temporary files, and {tempfile.gettempdir()} has no "
            f"room for {size >> 20} MB more ({error.strerror}): set TMPDIR to a directory on a "
            "disk with some GB free, or compare a model with fewer layers",
        ) from error


def _allocate(file: IO[bytes], size: int) -> None:
    """Let the disk keep room for a file: writing to mapped memory, one learns of none too late."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    for _ in range(0, size, 1 << 20):  # as on macOS
        file.write(bytes(1 << 20))
    file.truncate(size)
    file.flush()
