"""Methods, and ways out of a compiled program, in JAX."""

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.experimental import io_callback
from jaxtyping import Float, Int

# A table: what is read, and what it means.
KNOTS = (-2.0, -1.0, 0.0, 1.0, 2.0)
VALUES = (-1.5, -1.0, 0.0, 0.4, 2.0)
SLOPES = (0.0, 0.5, 1.0, 0.4, 1.6, 0.0)  # none outside


class Scaler:
    """Scales by an attribute that may change."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def apply(self, x: Array) -> Array:
        """``x`` scaled."""
        return self.scale * x


def scale_by_attribute(x: Float[Array, " n"], scale: float) -> Float[Array, " n"]:
    """Call a method that reads an attribute."""
    return Scaler(scale).apply(x)


@dataclass(frozen=True)
class FrozenScaler:
    """Cannot change, and is hashed and compared by its field."""

    scale: float

    @partial(jax.jit, static_argnums=0)
    def apply(self, x: Array) -> Array:
        """``x`` scaled."""
        return self.scale * x


def scale_by_hash(x: Float[Array, " n"], scale: float) -> Float[Array, " n"]:
    """Call a compiled method whose object is static: one program for each scale."""
    return FrozenScaler(scale).apply(x)


@jax.jit
def _scale(x: Array, scale: Array) -> Array:
    return scale * x


class ArgumentScaler:
    """Passes its attribute to a compiled function."""

    def __init__(self, scale: Array) -> None:
        self.scale = scale

    def apply(self, x: Array) -> Array:
        """``x`` scaled."""
        return _scale(x, self.scale)


def scale_by_argument(x: Float[Array, " n"], scale: Float[Array, ""]) -> Float[Array, " n"]:
    """Call a method whose attribute is an argument of the program: one program for all scales."""
    return ArgumentScaler(scale).apply(x)


@jax.tree_util.register_dataclass
@dataclass
class Affine:
    """A pytree: its fields become inputs of the program."""

    weight: Array
    bias: Array

    @jax.jit
    def apply(self, x: Array) -> Array:
        """A batch, transformed."""
        return x @ self.weight + self.bias


def affine(
    x: Float[Array, "batch n"], weight: Float[Array, "n m"], bias: Float[Array, " m"]
) -> Float[Array, "batch m"]:
    """Call a compiled method of an object that holds arrays."""
    return Affine(weight, bias).apply(x)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Mean:
    """A mean of the numbers so far; ``add`` returns the new one."""

    total: Array
    count: Array

    @jax.jit
    def add(self, x: Array) -> "Mean":
        """The state after ``x``."""
        return Mean(self.total + x.sum(), self.count + x.size)


def mean_so_far(
    x: Float[Array, " n"], total: Float[Array, ""], count: Int[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""], Int[Array, ""]]:
    """Add numbers to a mean; return the mean and its new state."""
    mean = Mean(total, count).add(x)
    return mean.total / mean.count.astype(x.dtype), mean.total, mean.count


def calibrated(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Look the readings up in a table, with JAX's own function."""
    knots, values = jnp.array(KNOTS, x.dtype), jnp.array(VALUES, x.dtype)
    return jnp.sin(jnp.interp(2 * x, knots, values))


def _look_up(x: Any) -> np.ndarray[Any, Any]:
    return np.interp(x, KNOTS, VALUES).astype(x.dtype)


def calibrated_host(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Look the readings up with NumPy, while the program waits; there is no derivative."""
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    y = jax.pure_callback(_look_up, like, 2 * x, vmap_method="expand_dims")
    return jnp.sin(y)


@jax.custom_jvp
def _curve(x: Array) -> Array:
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(_look_up, like, x, vmap_method="expand_dims")


@_curve.defjvp
def _curve_jvp(primals: Any, tangents: Any) -> tuple[Array, Array]:
    (x,), (dx,) = primals, tangents
    cell = jnp.searchsorted(jnp.array(KNOTS, x.dtype), x, side="right")
    return _curve(x), jnp.array(SLOPES, x.dtype)[cell] * dx


def calibrated_host_slope(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Look the readings up with NumPy, and differentiate by a custom rule."""
    return jnp.sin(_curve(2 * x))


@jax.jit
def _before(x: Array) -> Array:
    return 2 * x


@jax.jit
def _after(y: Array) -> Array:
    return jnp.sin(y)


def calibrated_between(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Two programs, cut by hand, with NumPy between them."""
    return _after(jnp.asarray(_look_up(np.asarray(_before(x)))))


# The sums that were recorded, the last hundred of them.
sums: deque[float] = deque(maxlen=100)


def _record(total: Any) -> None:
    sums.append(float(total))


def recorded(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Half of ``x``; records its sum outside, in the order of the calls."""
    io_callback(_record, None, x.sum(), ordered=True)
    return x / 2


def _block(x: Array, weight: Array) -> Array:
    return x + jnp.tanh(x @ weight)


def blocks(
    x: Float[Array, "batch n"], weights: Float[Array, "depth n n"]
) -> Float[Array, "batch n"]:
    """Blocks in a Python loop: each of them is in the program."""
    for weight in weights:
        x = _block(x, weight)
    return x


def blocks_once(
    x: Float[Array, "batch n"], weights: Float[Array, "depth n n"]
) -> Float[Array, "batch n"]:
    """Blocks in a ``scan``: the program holds one."""

    def step(x: Array, weight: Array) -> tuple[Array, None]:
        return _block(x, weight), None

    return lax.scan(step, x, weights)[0]
