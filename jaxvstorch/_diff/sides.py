"""The sides that a reader's objects make."""

import inspect
import sys
from typing import Any

import jax
import torch

from jaxvstorch import _frameworks
from jaxvstorch._diff.jax_side import jax_side
from jaxvstorch._diff.side import Side
from jaxvstorch._diff.torch_side import TorchSide
from jaxvstorch._explain.framework_of import belongs_to, named
from jaxvstorch._frameworks.private.torch import pytree


def side_of(given: Any, which: str) -> Side:
    """The side for what ``diff`` was given.

    Args:
        given: a function, a module, a method, or a tuple of one of these and its weights.
        which: the name of the parameter, for messages.

    Raises:
        TypeError: it is something else, or nothing shows which framework it uses.
    """
    if isinstance(given, Side):
        return given
    if isinstance(given, tuple) and not hasattr(given, "_fields"):
        if len(given) != 2:
            raise TypeError(
                f"{which} is a tuple of {len(given)}: pass (function, weights); training steps are "
                "for diff_training, or --steps on the command line"
            )
        given, tree = given
        if any(isinstance(x, torch.Tensor) for x in pytree.tree_leaves(tree)):
            return TorchSide(given, tree)
        _require_callable(given, which)
        return jax_side(given, tree)
    _require_callable(given, which)
    linen = sys.modules.get("flax.linen")
    if linen is not None and isinstance(given, linen.Module) and given.scope is None:
        raise TypeError(f"{which} is a linen module without its weights: pass (module, variables)")
    framework = "torch" if isinstance(given, torch.nn.Module) else belongs_to(given)
    if framework is None:
        framework = _held_by(given) or _of_file(given)
    if framework is None:
        raise TypeError(
            f"nothing shows whether {which} uses JAX or PyTorch: let its code name the framework"
        )
    return TorchSide(given) if framework == "torch" else jax_side(given)


def _require_callable(given: Any, which: str) -> None:
    if inspect.isclass(given):
        raise TypeError(f"{which} is the class {given.__name__}: pass an instance of it")
    if not callable(given) and not hasattr(given, "apply"):
        raise TypeError(
            f"{which} must be a function, a module, or a tuple of one and its weights, not "
            f"{type(given).__name__}"
        )


def _held_by(given: Any) -> str | None:
    """The framework of the arrays that an object holds."""
    if any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(given)):
        return "jax"
    if inspect.isfunction(inspect.unwrap(given)):
        outside = inspect.getclosurevars(inspect.unwrap(given))
        values = [*outside.nonlocals.values(), *outside.globals.values()]
        if any(
            isinstance(leaf, torch.Tensor | torch.nn.Module)
            for x in values
            for leaf in pytree.tree_leaves(x)
        ):
            return "torch"
        if any(isinstance(leaf, jax.Array) for x in values for leaf in jax.tree.leaves(x)):
            return "jax"
        called = {belongs_to(x) for x in values if inspect.isfunction(x)} - {None}
        if len(called) == 1:  # functions of other files
            return called.pop()
    return None


def _of_file(given: Any) -> str | None:
    """The framework that a function's file uses, if it is one."""
    used = named([given], getattr(inspect.unwrap(given), "__globals__", {}))
    return used.pop() if len(used) == 1 else None


def titles_of(sides: tuple[Side, Side]) -> tuple[str, str]:
    """What a report calls the sides."""
    first, second = (_frameworks.TITLES[side.framework] for side in sides)
    return (first, second) if first != second else (f"{first} 1", f"{second} 2")
