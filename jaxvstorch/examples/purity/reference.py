"""The answers of the purity examples, in NumPy: impure functions are impure here too.

No compiler sees these, so what they do to the world outside is what plain Python does.
"""

import os
import random
import time
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

scale = 2.0
calls = 0
kept: list[Array] = []
started = time.time()


def powers(x: Array) -> Array:
    """The first three powers."""
    return np.stack([x, x * x, x * x * x])


def squared_deviations(x: Array) -> Array:
    """Squared distances from the mean."""
    return np.asarray((x - x.mean()) ** 2)


def neighbour_sums(x: Array) -> Array:
    """Each element plus the next one; the last stays as it is."""
    return np.asarray(x + np.append(x[1:], 0))


def centered(x: Array, stats: dict[str, Any]) -> Array:
    """Distances from the mean; the mean is put into ``stats``."""
    stats["mean"] = x.mean()
    return np.asarray(x - x.mean())


def centered_and_mean(x: Array) -> tuple[Array, Any]:
    """Distances from the mean, and the mean."""
    return x - x.mean(), x.mean()


def counted(x: Array) -> Array:
    """Twice ``x``; ``calls`` goes up by one."""
    global calls
    calls += 1
    return 2 * x


def summed_squares(x: Array) -> Any:
    """The sum of the squares; they are added to ``kept``."""
    kept.append(x**2)
    return (x**2).sum()


def scaled(x: Array) -> Array:
    """``x`` times the global ``scale``."""
    return scaled_by(x, scale)


def scaled_by(x: Array, scale: Any) -> Array:
    """``x`` times ``scale``."""
    return np.asarray(scale * x)


def shifted_by_setting(x: Array) -> Array:
    """``x`` plus the environment's ``SHIFT``."""
    return x + float(os.environ.get("SHIFT", "0"))


def shifted_by_file(x: Array, path: str) -> Array:
    """``x`` plus the number in a file."""
    with open(path) as file:
        return x + float(file.read() or 0)


def announced_sum(x: Array) -> Any:
    """The sum, which is also printed."""
    print(f"sum: {x.sum()}")
    return x.sum()


def stamped(x: Array) -> Array:
    """``x`` plus the seconds since this module was imported."""
    return x + (time.time() - started)


def jittered(x: Array) -> Array:
    """``x`` plus a number from Python's generator."""
    return x + random.random()


def noisy(x: Array) -> Array:
    """``x`` plus numbers from NumPy's global generator."""
    return x + np.random.normal(size=x.shape)
