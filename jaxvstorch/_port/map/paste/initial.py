"""Initial weights."""

import builtins
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array


def dirac(shape: Sequence[int], groups: int) -> Array:
    """A convolution's kernel that returns its input."""
    out, inner, *space = shape
    middle = tuple(n // 2 for n in space)
    kernel = jnp.zeros(shape)
    for group in range(groups):
        for i in range(builtins.min(out // groups, inner)):
            kernel = kernel.at[(group * (out // groups) + i, i, *middle)].set(1)
    return kernel


def calculate_gain(nonlinearity: str, param: float | None) -> float:
    """The factor that keeps the scale of numbers through an activation."""
    slope = 0.01 if param is None else param
    gains = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
    return (
        math.sqrt(2 / (1 + slope**2))
        if nonlinearity == "leaky_relu"
        else gains.get(nonlinearity, 1)
    )


def _spread(shape: Sequence[int], a: float, mode: str, nonlinearity: str) -> float:
    fans = {"fan_in": shape[1], "fan_out": shape[0]}
    return calculate_gain(nonlinearity, a) / math.sqrt(fans[mode] * math.prod(shape[2:]))


def kaiming_uniform(
    key: Array, shape: Sequence[int], a: float, mode: str, nonlinearity: str
) -> Array:
    """He's uniform initialisation of a weight (out, in, ...)."""
    bound = math.sqrt(3) * _spread(shape, a, mode, nonlinearity)
    return jax.random.uniform(key, shape, minval=-bound, maxval=bound)


def kaiming_normal(
    key: Array, shape: Sequence[int], a: float, mode: str, nonlinearity: str
) -> Array:
    """He's normal initialisation of a weight (out, in, ...)."""
    return _spread(shape, a, mode, nonlinearity) * jax.random.normal(key, shape)


def xavier_normal(key: Array, shape: Sequence[int], gain: float) -> Array:
    """Glorot's normal initialisation of a weight (out, in, ...)."""
    fans = (shape[0] + shape[1]) * math.prod(shape[2:])
    return gain * math.sqrt(2 / fans) * jax.random.normal(key, shape)


def initial_bias(channels: int, kernel_size: int | Sequence[int], n: int) -> Any:
    """The initializer of a layer's bias: uniform, up to one over the root of its inputs' number."""
    sizes = (kernel_size,) * n if isinstance(kernel_size, int) else kernel_size
    bound = 1 / math.sqrt(channels * math.prod(sizes))
    return partial(_uniform, bound)


def _uniform(bound: float, key: Array, shape: Sequence[int], dtype: Any, *_: Any) -> Array:
    return jax.random.uniform(key, shape, dtype, -bound, bound)
