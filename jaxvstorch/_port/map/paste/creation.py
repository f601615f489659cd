"""Arrays made from nothing."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array


def general_cosine(M: int, a: Sequence[float], sym: bool, dtype: Any) -> Array:  # noqa: N803
    """A window that is a sum of cosines; where not ``sym``, the last number is left out."""
    if M == 1:
        return jnp.ones(1, dtype)
    window = jnp.zeros(M, dtype)
    angle = 2 * jnp.pi * jnp.arange(M, dtype=window.dtype) / (M - sym)
    for i, factor in enumerate(a):
        window += (-1) ** i * factor * jnp.cos(i * angle)
    return window
