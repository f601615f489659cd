"""Sources of examples, by index and with a length: PyTorch and grain read them as they are.

They stand in a module because worker processes import them.
"""

import os
import time
from typing import Any

import numpy as np


class Points:
    """Two numbers and a label for each index."""

    def __init__(self, count: int = 10) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:  # grain compares it where it restores a state
        return f"{type(self).__name__}({self.count})"

    def __getitem__(self, index: int) -> Any:
        return np.array([index, index**2], np.float32), int(index)


class Slow(Points):
    """Each example takes a time, in seconds, as from a disk or a network."""

    def __init__(self, count: int, seconds: float) -> None:
        super().__init__(count)
        self.seconds = seconds

    def __getitem__(self, index: int) -> Any:
        time.sleep(self.seconds)
        return super().__getitem__(index)


class Drawing(Points):
    """Draws from NumPy's global generator and from its own, and says in which process."""

    def __init__(self, count: int = 4) -> None:
        super().__init__(count)
        self.generator = np.random.default_rng(0)

    def __getitem__(self, index: int) -> Any:
        return np.random.random(), self.generator.random(), os.getpid()


class Unreadable(Points):
    """One example cannot be read."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise ValueError(f"example {index} cannot be read")
        return super().__getitem__(index)


class Deadly(Points):
    """One example ends the process that reads it."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            os._exit(3)
        return super().__getitem__(index)
