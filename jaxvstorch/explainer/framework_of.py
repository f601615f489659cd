"""Which framework a function is of, told by itself, its arguments, or its module's names."""

import sys
from collections.abc import Callable
from typing import Any

from jaxvstorch import frameworks
from jaxvstorch.explainer.unwrap import original
from jaxvstorch.waiting import arrays_of

_JAX_LIBRARIES = ("jax", "jaxlib", "flax", "equinox", "optax")


def framework_of(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """``"jax"`` or ``"torch"``.

    Raises:
        TypeError: nothing tells, or the arguments hold arrays of both.
    """
    values = (args, tuple(kwargs.values()))
    held = {name for name in frameworks.FRAMEWORKS if arrays_of(name, values)}
    if len(held) > 1:
        raise TypeError("the arguments hold arrays of both frameworks: give those of one")
    by_itself = _of_itself(function)
    if by_itself and held and held != {by_itself}:
        raise TypeError(
            f"the function is {frameworks.TITLES[by_itself]}'s, and the arguments hold "
            f"{frameworks.TITLES[held.pop()]}'s arrays"
        )
    found = {by_itself} if by_itself else held or _of_names(function)
    if len(found) == 1:
        return str(found.pop())
    raise TypeError(
        f"whether {getattr(function, '__name__', function)!r} is of JAX or of PyTorch cannot be "
        "told from it or its arguments: say framework='jax' or framework='torch'"
    )


def _of_itself(function: Any) -> str | None:
    if hasattr(function, "_torchdynamo_orig_callable") or hasattr(function, "_orig_mod"):
        return "torch"
    torch = sys.modules.get("torch")
    owner = getattr(function, "__self__", function)
    if torch is not None and isinstance(owner, torch.nn.Module):
        return "torch"
    if hasattr(function, "lower") and hasattr(function, "trace"):
        return "jax"
    package = type(owner).__module__.split(".")[0]
    return "jax" if package in _JAX_LIBRARIES else None


def _of_names(function: Any) -> set[str]:
    """The frameworks that the names in the function's module belong to."""
    found = original(function)
    names = getattr(found, "__globals__", {})
    modules = {
        str(
            getattr(value, "__name__", "")
            if isinstance(value, type(sys))
            else getattr(value, "__module__", "")
        )
        for value in names.values()
    } | {str(getattr(found, "__module__", ""))}
    packages = {module.split(".")[0] for module in modules}
    jax = bool(packages & set(_JAX_LIBRARIES))
    return {name for name, is_used in (("jax", jax), ("torch", "torch" in packages)) if is_used}
