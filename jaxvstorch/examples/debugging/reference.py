"""The answers of the examples on debugging, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def print_gradient(x: Array) -> Array:
    """``x``."""
    return x


def entropy(p: Array) -> Any:
    """The entropy of a distribution, in nats."""
    positive = p[p > 0]
    return -(positive * np.log(positive)).sum()
