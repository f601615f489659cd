"""What the instruments need from JAX."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxvstorch._frameworks.containers import leaves


def from_numpy(value: Any) -> Any:
    """Turn NumPy arrays and scalars into JAX arrays of the same dtype; leave the rest.

    Raises:
        TypeError: JAX has no such dtype, or would narrow it, because 64-bit types are switched off.
    """
    if not isinstance(value, np.ndarray | np.generic):
        return value
    try:
        array = jnp.array(value)  # a copy: on the CPU an array could share memory with an input
    except TypeError as error:  # whose message may name neither the dtype nor the array
        raise TypeError(
            f"JAX has no arrays of {value.dtype}: pass booleans, or numbers of at most 64 bits for "
            "each real number, in this machine's byte order"
        ) from error
    if array.dtype != value.dtype:
        raise TypeError(
            f"JAX would turn {value.dtype} into {array.dtype}: 64-bit types are off by default. "
            "Wrap the call in `with jax.enable_x64(True):`."
        )
    return array


def to_device(arguments: Any) -> Any:
    """The arguments on JAX's device: ``from_numpy`` has put them there already."""
    return arguments


def to_numpy(value: Any) -> Any:
    """Turn arrays in ``value`` into NumPy arrays; bfloat16 keeps its dtype (ml_dtypes)."""
    return jax.tree.map(lambda x: np.array(x) if isinstance(x, jax.Array) else x, value)


def wait(value: Any) -> Any:
    """Return ``value`` when every array in it has been computed.

    Raises:
        TypeError: JAX cannot look inside.
    """
    try:
        return jax.block_until_ready(value)
    except (RecursionError, SystemError) as error:
        raise TypeError(
            "JAX cannot look for arrays in a value that holds itself, or that is nested thousands "
            "of levels deep"
        ) from error


def compile(
    function: Callable[..., Any], static_argnames: Sequence[str] = (), **options: Any
) -> Callable[..., Any]:
    """``jax.jit``, told which arguments are static."""
    return jax.jit(function, static_argnames=tuple(static_argnames), **options)


def observed(function: Callable[..., Any], arguments: Sequence[Any]) -> set[str]:
    """What a function does while JAX traces it; nothing where that fails.

    Returns:
        ``"narrow"`` if it has floating-point arrays narrower than float64, ``"random"`` if it draws
        random numbers.
    """
    values, tree = jax.tree.flatten(tuple(arguments))
    traced = [i for i, value in enumerate(values) if isinstance(value, jax.Array)]

    def call(arrays: Sequence[Any]) -> Any:
        given = dict(zip(traced, arrays, strict=True))
        every = [given.get(i, value) for i, value in enumerate(values)]
        return function(*jax.tree.unflatten(tree, every))

    try:
        program = str(jax.make_jaxpr(call)([values[i] for i in traced]))
    except Exception:  # it may depend on values, and run only as it is
        return set()
    signs = {"narrow": r":(bf16|f16|f32)\[", "random": r"\brandom_bits\["}
    return {name for name, pattern in signs.items() if re.search(pattern, program)}


def double_precision() -> AbstractContextManager[None]:
    """A context in which 64-bit types are on."""
    context: AbstractContextManager[None] = jax.enable_x64(True)
    return context


def value_and_gradients(
    function: Callable[..., Any],
    arguments: Callable[[], Sequence[Any]],
    argnums: Sequence[int],
    weights_of: Callable[[Any], Any],
) -> tuple[Any, Any]:
    """What a function returns, and the gradients of ``sum(weights * function(*arguments()))``.

    Args:
        function: returns an array, or containers of arrays; integers and booleans among them do
            not count.
        arguments: makes new arguments for each call.
        argnums: positions of the arguments to differentiate.
        weights_of: makes the weights of what the function returned: as many NumPy arrays as it
            returned, of the same shapes.
    """
    value = function(*arguments())
    weights = weights_of(value)

    def weighted(*args: Any) -> Any:
        value = function(*args)
        outputs = map(jnp.asarray, leaves(value))
        return sum(
            (jnp.asarray(weight, out.dtype) * out).sum()
            for weight, out in zip(weights, outputs, strict=True)
            if jnp.issubdtype(out.dtype, jnp.inexact)
        )

    return value, jax.grad(weighted, tuple(argnums))(*arguments())
