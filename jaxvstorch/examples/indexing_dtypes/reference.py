"""The answers of the examples on indexing and dtypes, in NumPy and float64."""

from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]


def pick_per_row(x: Array, columns: Array) -> Array:
    """One element of each row; negative columns count from the end."""
    return np.array([row[column] for row, column in zip(x, columns, strict=True)])


def take_wrapped(x: Array, places: Array) -> Array:
    """The elements at these indices, as if ``x`` wrapped around."""
    return np.array([x[place % len(x)] for place in places])


def take_columns(x: Array, columns: Array) -> Array:
    """Some columns of the first matrix, in the order of the axes of ``x``."""
    return np.stack([x[0, :, column] for column in columns], axis=1)


def reverse_steps(x: Array, step: int) -> Array:
    """Every ``step``-th element, from the last to the first."""
    return np.array(x[::-step])


def segment_softmax(scores: Array, labels: Array, count: int) -> Array:
    """For each segment the softmax of its scores."""
    out = np.zeros_like(scores)
    for label in range(count):
        own = scores[labels == label]
        out[labels == label] = np.exp(own) / np.exp(own).sum()
    return out


def divmod_or_zero(a: Array, b: Array) -> tuple[Array, Array]:
    """Quotients rounded down and remainders with the sign of ``b``; both zero where ``b`` is."""
    pairs = [divmod(int(x), int(y)) if y else (0, 0) for x, y in zip(a, b, strict=True)]
    quotients, remainders = np.array(pairs, np.int32).T
    return quotients, remainders


def scale_kept(x: Array, scale: Array) -> Array:
    """``x``, scaled."""
    return np.asarray(x * scale)


def to_bytes(x: Array) -> Array:
    """Rounded, 0 where ``x`` is below 0 or no number, and 255 where it is above that."""
    return np.array([0 if np.isnan(v) else round(min(max(v, 0), 255)) for v in x], np.uint8)


def matmul_tf32(a: Array, b: Array) -> Array:
    """The exact product of the rounded matrices."""
    return np.asarray(_tf32(a) @ _tf32(b))


def matmul_in_parts(a: Array, b: Array) -> Array:
    """The product without that of the two small parts."""
    (a_high, a_low), (b_high, b_low) = _parts(a), _parts(b)
    return np.asarray(a_high @ b_high + a_high @ b_low + a_low @ b_high)


def _tf32(x: Array) -> Array:
    """Rounded to ten bits of the fraction; of two as near, the even one."""
    scaled, exponent = np.frexp(x)  # the fraction is at least 1/2, so it has eleven bits
    return np.asarray(np.ldexp(np.round(scaled * 2**11), exponent - 11))


def _parts(x: Array) -> tuple[Array, Array]:
    high = x.astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
    low = (x - high).astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)
    return high, low
