"""Indices and dtypes written out, in JAX."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Float32, Int, Int32, UInt8


def pick_per_row(x: Float[Array, "n k"], columns: Int[Array, " n"]) -> Float[Array, " n"]:
    """One element of each row; negative columns count from the end."""
    return jnp.take_along_axis(x, columns[:, None], axis=1)[:, 0]


def take_wrapped(x: Float[Array, " n"], places: Int[Array, " k"]) -> Float[Array, " k"]:
    """The elements at these indices, as if ``x`` wrapped around."""
    return jnp.take(x, places, mode="wrap")


def take_columns(x: Float[Array, "heads n d"], columns: Int[Array, " k"]) -> Float[Array, "n k"]:
    """Some columns of the first head; two steps, so that the axes keep their order."""
    return x[0][:, columns]


def reverse_steps(x: Float[Array, " n"], step: int) -> Float[Array, " k"]:
    """Every ``step``-th element, from the last to the first."""
    return x[::-step]


def segment_softmax(
    scores: Float[Array, " n"], labels: Int[Array, " n"], count: int
) -> Float[Array, " n"]:
    """The softmax of the scores that have one label, for each of ``count`` labels."""
    largest = jax.ops.segment_max(scores, labels, count)
    weights = jnp.exp(scores - lax.stop_gradient(largest)[labels])
    return weights / jax.ops.segment_sum(weights, labels, count)[labels]


def divmod_or_zero(
    a: Int32[Array, " n"], b: Int32[Array, " n"]
) -> tuple[Int32[Array, " n"], Int32[Array, " n"]]:
    """Quotients rounded down and remainders with the sign of ``b``; both 0 where ``b`` is."""
    divisor = jnp.where(b == 0, 1, b)
    return jnp.where(b == 0, 0, a // divisor), a % divisor


def scale_kept(x: Float[Array, " n"], scale: Float[Array, ""]) -> Float[Array, " n"]:
    """Scaled in the dtype of ``x``."""
    return x * scale.astype(x.dtype)


def to_bytes(x: Float32[Array, " n"]) -> UInt8[Array, " n"]:
    """Rounded and clipped to what a byte holds; NaN becomes 0."""
    inside = jnp.clip(jnp.nan_to_num(x, nan=0.0), 0, 255)
    return jnp.round(inside).astype(jnp.uint8)


def matmul_tf32(a: Float32[Array, "n k"], b: Float32[Array, "k m"]) -> Float32[Array, "n m"]:
    """The product of matrices rounded to TF32, which keeps ten bits of the fraction."""
    a, b = (lax.reduce_precision(x, exponent_bits=8, mantissa_bits=10) for x in (a, b))
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def _parts(x: Array) -> tuple[Array, Array]:
    """The number rounded to bfloat16, and what that leaves, rounded too.

    By ``reduce_precision``, which XLA keeps; it may drop a cast that is cast back at once.
    """
    high = lax.reduce_precision(x, exponent_bits=8, mantissa_bits=7)
    return high.astype(jnp.bfloat16), (x - high).astype(jnp.bfloat16)


def _product(a: Array, b: Array) -> Array:
    return jnp.matmul(a, b, preferred_element_type=jnp.float32)


def matmul_in_parts(a: Float32[Array, "n k"], b: Float32[Array, "k m"]) -> Float32[Array, "n m"]:
    """Three bfloat16 products, added up in float32."""
    (a_high, a_low), (b_high, b_low) = _parts(a), _parts(b)
    low = _product(a_high, b_low) + _product(a_low, b_high)
    return low + _product(a_high, b_high)
