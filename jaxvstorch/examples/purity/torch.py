"""Pure and impure functions in PyTorch. ``torch.compile`` tries to keep what they do outside."""

import os
import random
import time

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

scale = 2.0
calls = 0
kept: list[Tensor] = []
started = time.time()


def powers(x: Float[Tensor, " n"]) -> Float[Tensor, "3 n"]:
    """Stack the first three powers. Pure: the list that changes is the function's own."""
    found = [x]
    for _ in range(2):
        found.append(found[-1] * x)
    return torch.stack(found)


def squared_deviations(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Square the distances from the mean. Pure: only the name ``x`` gets a new meaning."""
    x = x - x.mean()
    x = x * x
    return x


def neighbour_sums(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Add its right neighbor to each element, in place. Pure: the copy is the function's own."""
    total = x.clone()
    total[:-1] += x[1:]
    return total


def centered(x: Float[Tensor, " n"], stats: dict[str, Tensor]) -> Float[Tensor, " n"]:
    """Subtract the mean. Impure: it writes the mean into an argument."""
    stats["mean"] = x.mean()
    return x - stats["mean"]


def centered_and_mean(x: Float[Tensor, " n"]) -> tuple[Float[Tensor, " n"], Float[Tensor, ""]]:
    """The same made pure: what was written is returned."""
    mean = x.mean()
    return x - mean, mean


def counted(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Double. Impure: it counts its calls in a global."""
    global calls
    calls += 1
    return 2 * x


def summed_squares(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """Sum the squares. Impure: it keeps them in a global."""
    squares = x * x
    kept.append(squares)
    return squares.sum()


def scaled(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Multiply by ``scale``. Impure: that is a global."""
    return scale * x


def scaled_by(x: Float[Tensor, " n"], scale: Float[Tensor, ""]) -> Float[Tensor, " n"]:
    """The same made pure: what was read is an argument."""
    return scale * x


def shifted_by_setting(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Add ``$SHIFT``. Impure: it reads the environment."""
    return x + float(os.getenv("SHIFT", "0"))


def shifted_by_file(x: Float[Tensor, " n"], path: str) -> Float[Tensor, " n"]:
    """Add the number in a file, or 0 if it is empty. Impure: it reads the file."""
    with open(path) as file:
        shift = float(file.read() or 0)
    return x + shift


def announced_sum(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """Sum. Impure: it prints the sum."""
    total = x.sum()
    print(f"sum: {total}")
    return total


def stamped(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Add the seconds since this module was imported. Impure: it reads the clock."""
    return x + (time.time() - started)


def jittered(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Add one random number. Impure: it reads and advances the state of Python's generator."""
    return x + random.random()


def noisy(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Add normal noise. Impure: it reads and advances the state of NumPy's global generator."""
    return x + torch.as_tensor(np.random.normal(size=x.shape), dtype=x.dtype, device=x.device)
