"""The answers of the loop examples, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def evolve(state: Array, num_steps: int) -> Array:
    """Go a tenth of the way from each element to one, ``num_steps`` times."""
    for _ in range(int(num_steps)):
        state = 0.9 * state + 0.1
    return state


def sqrt(a: Array) -> Array:
    """The square root."""
    return np.sqrt(a)


def density(points: Array, centres: Array) -> Array:
    """The mean of a Gaussian bump of every point, at each centre."""
    return np.exp(-((points - centres[:, None]) ** 2)).mean(axis=1)


def recurrence(decay: Array, drive: Array) -> Array:
    """All states of ``state = decay * state + drive``, from zero."""
    state, states = np.zeros(drive.shape[1:]), []
    for a, b in zip(decay, drive, strict=True):
        state = a * state + b
        states.append(state)
    return np.stack(states)
