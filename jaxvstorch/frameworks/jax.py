"""What the instruments need from JAX."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def from_numpy(value: Any) -> Any:
    """NumPy arrays and scalars become JAX arrays of the same dtype; the rest stays as it is.

    Raises:
        TypeError: the dtype would be narrowed, because 64-bit types are switched off.
    """
    if not isinstance(value, np.ndarray | np.generic):
        return value
    array = jnp.asarray(value)
    if array.dtype != value.dtype:
        raise TypeError(
            f"JAX would make {array.dtype} of {value.dtype}: 64-bit types are off by default. "
            "Wrap the call in `with jax.enable_x64(True):`."
        )
    return array


def to_numpy(value: Any) -> Any:
    """Arrays anywhere in ``value`` become NumPy arrays; bfloat16 keeps its dtype (ml_dtypes)."""
    return jax.tree.map(np.asarray, value)


def wait(value: Any) -> Any:
    """Return ``value`` once every array in it has been computed."""
    return jax.block_until_ready(value)


def compile(
    function: Callable[..., Any], static_argnames: Sequence[str] = (), **options: Any
) -> Callable[..., Any]:
    """``jax.jit``, told which arguments are static."""
    return jax.jit(function, static_argnames=tuple(static_argnames), **options)


def double_precision() -> AbstractContextManager[None]:
    """A context in which 64-bit types are on."""
    return jax.enable_x64(True)


def value_and_gradients(
    function: Callable[..., Any], args: Sequence[Any], argnums: Sequence[int], weights: Any
) -> tuple[Any, Any]:
    """The value of ``function``, and the gradients of ``sum(weights * value)``.

    Args:
        function: returns an array, or a tuple of arrays.
        args: its arguments.
        argnums: positions of the arguments to differentiate.
        weights: as many arrays as ``function`` returns, of the same shapes.
    """

    def weighted(*args: Any) -> tuple[Any, Any]:
        value = function(*args)
        outputs = value if isinstance(value, tuple) else (value,)
        total = sum((w * out).sum() for w, out in zip(weights, outputs, strict=True))
        return total, value

    (_, value), gradients = jax.value_and_grad(weighted, tuple(argnums), has_aux=True)(*args)
    return value, gradients
