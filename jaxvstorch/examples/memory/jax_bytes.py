"""The bytes that a program of JAX needs, from its shapes alone."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Function = Callable[..., Any]


def shapes(*found: tuple[int, ...]) -> list[jax.ShapeDtypeStruct]:
    """Arguments in float32 that take no memory."""
    return [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in found]


def analysis(
    function: Function, *arguments: Any, donated: tuple[int, ...] = (), **options: Any
) -> Any:
    """What XLA says of the memory of a function, compiled with options of ``jax.jit``."""
    jitted = jax.jit(function, donate_argnums=donated, **options)
    return jitted.lower(*arguments).compile().memory_analysis()


def temporary(function: Function, *arguments: Any, **options: Any) -> int:
    """The bytes that a program makes and drops again."""
    return int(analysis(function, *arguments, **options).temp_size_in_bytes)


def slope(function: Function, count: int = 1) -> Function:
    """The gradient of a function's sum by its first ``count`` arguments."""
    return jax.grad(lambda *a: function(*a).sum(), argnums=tuple(range(count)))
