"""Dtypes chosen for what is kept, computed and accumulated, in JAX."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import DTypeLike
from jaxtyping import BFloat16, Float, Float32, Int32

EPSILON = 1e-5
RATE = 0.1
GROWTH, BACKOFF, INTERVAL = 2.0, 0.5, 2  # an interval of 2,000 steps is usual

Tree = dict[str, Array]


def _cast(tree: Any, dtype: DTypeLike) -> Any:
    """The arrays of float32 in another dtype; all others as they are."""
    return jax.tree.map(lambda a: a.astype(dtype) if a.dtype == jnp.float32 else a, tree)


def _network(parameters: Tree, x: Array) -> Array:
    hidden = jnp.tanh(x @ parameters["w1"] + parameters["b1"])
    return hidden @ parameters["w2"] + parameters["b2"]


def network_loss(
    parameters: dict[str, Float[Array, "..."]], x: Float[Array, "n d"], y: Float[Array, "n k"]
) -> Float[Array, ""]:
    """The network computes in the dtype that it is given, the loss in that of its targets."""
    out = _network(parameters, x).astype(y.dtype)
    return ((out - y) ** 2).mean()


def mixed_loss(
    parameters: dict[str, Float[Array, "..."]], x: Float[Array, "n d"], y: Float[Array, "n k"]
) -> Float[Array, ""]:
    """The same, with the network in bfloat16."""
    parameters, x = _cast((parameters, x), jnp.bfloat16)
    return network_loss(parameters, x, y)


def layer_norm_mixed(
    x: Float[Array, "n d"], scale: Float[Array, " d"], shift: Float[Array, " d"]
) -> Float[Array, "n d"]:
    """Computed in the dtype of the scale, and returned in that of ``x``."""
    wide = x.astype(scale.dtype)
    centred = wide - wide.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    out = centred * lax.rsqrt(variance + EPSILON) * scale + shift
    return out.astype(x.dtype)


def dot_accumulated(
    x: Float[Array, "n d"], w: Float[Array, "d k"], bias: Float[Array, " k"]
) -> Float[Array, "n k"]:
    """Products of ``x`` and ``w``, accumulated in the dtype of the bias, and returned in it."""
    return jnp.dot(x, w, preferred_element_type=bias.dtype) + bias


def sum_in_order(x: Float[Array, " n"]) -> Float[Array, ""]:
    """One number after another."""
    start = jnp.zeros((), x.dtype)
    return lax.scan(lambda total, value: (total + value, None), start, x)[0]


def sum_compensated(x: Float[Array, " n"]) -> Float[Array, ""]:
    """What an addition drops is added to the next number (Kahan 1965)."""

    def add(carry: tuple[Array, Array], value: Array) -> tuple[tuple[Array, Array], None]:
        total, dropped = carry
        value = value + dropped
        new = total + value
        return (new, value - (new - total)), None

    start = jnp.zeros((), x.dtype)
    (total, _), _ = lax.scan(add, (start, start), x)
    return total


def scaled_gradient(
    w: Float[Array, " d"], x: Float[Array, "n d"], y: Float[Array, " n"], scale: Float[Array, ""]
) -> Float[Array, " d"]:
    """The gradient of a loss in float16, scaled for the backward pass."""

    def loss(w: Array) -> Array:
        half, inputs = _cast((w, x), jnp.float16)
        return scale * (((inputs @ half).astype(y.dtype) - y) ** 2).mean()

    return jax.grad(loss)(w) / scale


def guarded_step(
    parameters: dict[str, Float[Array, "..."]],
    scaled: dict[str, Float[Array, "..."]],
    scale: Float[Array, ""],
    good: Int32[Array, ""],
) -> tuple[dict[str, Float[Array, "..."]], Float[Array, ""], Int32[Array, ""]]:
    """A step, if the gradient is finite; and the scale and the count for the next one."""
    finite = jnp.stack([jnp.isfinite(g).all() for g in jax.tree.leaves(scaled)]).all()
    parameters = jax.tree.map(
        lambda p, g: jnp.where(finite, p - RATE * (g / scale), p), parameters, scaled
    )
    good = jnp.where(finite, good + 1, 0)
    grown = jnp.where(good == INTERVAL, scale * GROWTH, scale)
    scale = jnp.where(finite, grown, scale * BACKOFF)
    return parameters, scale, good % INTERVAL


def stochastic_round(x: Float32[Array, " n"], bits: Int32[Array, " n"]) -> BFloat16[Array, " n"]:
    """Rounded up as often as the distances say, given 16 random bits for each number."""
    raw = lax.bitcast_convert_type(x, jnp.int32)
    rounded = (raw + bits) & -65536  # bfloat16 is the upper half of float32
    return lax.bitcast_convert_type(rounded, jnp.float32).astype(jnp.bfloat16)
