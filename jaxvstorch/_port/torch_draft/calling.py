"""What a call of a function of a JAX program is given, and what it reads around it."""

import inspect
from types import CellType, FunctionType, MethodType
from typing import Any

import jax
import numpy as np

_FEW = 1000  # steps of a loop


def is_compiled(function: Any) -> bool:
    """Whether it is ``jax.jit`` of a function, or flax's or Equinox's, and no other wrapper."""
    return hasattr(function, "__wrapped__") and not isinstance(function, FunctionType | MethodType)


def bound(function: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    try:
        signature = inspect.signature(function)
        bound: dict[str, Any] = signature.bind(*args, **kwargs).arguments
        return {**bound}
    except (TypeError, ValueError):
        return {**{f"x{i}": value for i, value in enumerate(args)}, **kwargs}


def around(function: Any) -> dict[str, Any]:
    """What a function reads of the one that it is in."""
    plain = inspect.unwrap(function)
    cells = zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells if not _is_empty(cell)}


def _is_empty(cell: CellType) -> bool:
    try:
        return cell.cell_contents is cell
    except ValueError:
        return True


def in_jax(value: Any) -> Any:
    """An array of NumPy's as ``jax.jit`` makes it JAX's."""
    return jax.numpy.asarray(value) if isinstance(value, np.ndarray) else value


def is_short_loop(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether a function is ``lax.scan`` over few steps, which can run one by one."""
    if function is not jax.lax.scan:
        return False
    over = jax.tree.leaves([*args[2:4], kwargs.get("xs"), kwargs.get("length")])
    sizes = [leaf if isinstance(leaf, int) else max(np.shape(leaf)[:1], default=0) for leaf in over]
    return max(sizes, default=0) <= _FEW
