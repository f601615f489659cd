"""The step that every program takes, and the part of an array that belongs to one process."""

from typing import Any

import numpy as np

from jaxvstorch.examples.parallelism import inputs

Array = np.ndarray[Any, Any]


def training() -> tuple[Array, ...]:
    """The matrices, (8, 32) and (32, 8), and a batch of 8 rows with what is wanted for it."""
    return inputs.training(64, np.dtype("float32"), np.random.default_rng(0))


def part(array: Array, axis: int | None, process: int, processes: int) -> Array:
    """One of as many equal parts along an axis as there are processes; without an axis, all.

    Raises:
        ValueError: the axis is not a multiple of the number of processes.
    """
    if axis is None:
        return array
    return np.ascontiguousarray(np.split(array, processes, axis)[process])
