"""Pure and impure functions in JAX. ``jax.jit`` keeps its promises for the pure ones only."""

import os
import random
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

scale = 2.0
calls = 0
kept: list[Array] = []
started = time.time()


def powers(x: Float[Array, " n"]) -> Float[Array, "3 n"]:
    """Stack the first three powers. Pure: the list that changes is the function's own."""
    found = [x]
    for _ in range(2):
        found.append(found[-1] * x)
    return jnp.stack(found)


def squared_deviations(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Square the distances from the mean. Pure: only the name ``x`` gets a new meaning."""
    x = x - x.mean()
    x = x * x
    return x


def neighbour_sums(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Add its right neighbor to each element, in place. Pure: the ref is the function's own."""
    total = jax.new_ref(x)
    total[:-1] += x[1:]
    return jax.freeze(total)


def centered(x: Float[Array, " n"], stats: dict[str, Array]) -> Float[Array, " n"]:
    """Subtract the mean. Impure: it writes the mean into an argument."""
    stats["mean"] = x.mean()
    return x - stats["mean"]


def centered_and_mean(x: Float[Array, " n"]) -> tuple[Float[Array, " n"], Float[Array, ""]]:
    """The same made pure: what was written is returned."""
    mean = x.mean()
    return x - mean, mean


def counted(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Double. Impure: it counts its calls in a global."""
    global calls
    calls += 1
    return 2 * x


def summed_squares(x: Float[Array, " n"]) -> Float[Array, ""]:
    """Sum the squares. Impure: it keeps them in a global, which leaks a tracer."""
    squares = x * x
    kept.append(squares)
    return squares.sum()


def scaled(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Multiply by ``scale``. Impure: that is a global."""
    return scale * x


def scaled_by(x: Float[Array, " n"], scale: Float[Array, ""]) -> Float[Array, " n"]:
    """The same made pure: what was read is an argument."""
    return scale * x


def shifted_by_setting(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Add ``$SHIFT``. Impure: it reads the environment."""
    return x + float(os.getenv("SHIFT", "0"))


def shifted_by_file(x: Float[Array, " n"], path: str) -> Float[Array, " n"]:
    """Add the number in a file, or 0 if it is empty. Impure: it reads the file."""
    with open(path) as file:
        shift = float(file.read() or 0)
    return x + shift


def announced_sum(x: Float[Array, " n"]) -> Float[Array, ""]:
    """Sum. Impure: it prints the sum."""
    total = x.sum()
    print(f"sum: {total}")
    return total


def stamped(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Add the seconds since this module was imported. Impure: it reads the clock."""
    return x + (time.time() - started)


def jittered(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Add one random number. Impure: it reads and advances the state of Python's generator."""
    return x + random.random()


def noisy(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Add normal noise. Impure: it reads and advances the state of NumPy's global generator."""
    return x + jnp.asarray(np.random.normal(size=x.shape), x.dtype)
