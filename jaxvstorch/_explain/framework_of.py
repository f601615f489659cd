"""Decides which framework a function uses: by the function, its arguments, or the names in it."""

import dis
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.unwrap import answers_all, attribute, original, wrappers
from jaxvstorch._frameworks.private import torch as private
from jaxvstorch._measure.waiting import arrays_of

BOTH = "both"  # a value that only ``explain`` accepts for ``framework=`` and ``--framework``
# Libraries, and the framework that they use.
LIBRARIES = {
    "jax": "jax", "jaxlib": "jax", "flax": "jax", "equinox": "jax", "optax": "jax",
    "haiku": "jax", "diffrax": "jax", "blackjax": "jax", "numpyro": "jax", "chex": "jax",
    "torch": "torch", "torchvision": "torch", "torchaudio": "torch", "lightning": "torch",
}  # fmt: skip


def framework_of(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    choices: str = "'jax' or framework='torch'",
) -> str:
    """``"jax"`` or ``"torch"``; ``choices`` are what an error proposes for ``framework=``.

    Raises:
        TypeError: nothing shows it, or the arguments hold arrays of both.
    """
    values = (args, tuple(kwargs.values()))
    held = {name for name in _frameworks.FRAMEWORKS if arrays_of(name, values)}
    if len(held) > 1:
        raise TypeError("the arguments hold arrays of both frameworks: pass arrays of one")
    by_itself = framework_by_itself(function)
    if by_itself and held and held != {by_itself}:
        raise TypeError(
            f"the function uses {_frameworks.TITLES[by_itself]}, but the arguments hold "
            f"{_frameworks.TITLES[held.pop()]}'s arrays"
        )
    names = attribute(original(function), "__globals__") or {}
    frameworks = {by_itself} if by_itself else held or named([function], names)
    if len(frameworks) == 1:
        return str(frameworks.pop())
    name = attribute(function, "__name__") or function
    raise TypeError(
        f"cannot tell from {name!r} or its arguments whether it uses JAX or PyTorch: "
        f"pass framework={choices}"
    )


def asked_for(
    function: Any, framework: Any, kwargs: dict[str, Any]
) -> tuple[str | None, dict[str, Any]]:
    """Read ``framework=``: it may also be an argument of a function that has such a parameter.

    Returns:
        The framework, or ``"both"``, or ``None``; and the function's keyword arguments.
    """
    is_framework = isinstance(framework, str) and framework in (*_frameworks.FRAMEWORKS, BOTH)
    if framework is None or is_framework or not takes(function, "framework"):
        return framework, kwargs
    return None, {**kwargs, "framework": framework}


def takes(function: Any, name: str) -> bool:
    """Whether a function has a parameter of this name, or takes any name."""
    with suppress(Exception):  # something built in has no signature
        parameters = inspect.signature(function).parameters
        return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return False


def compiled_by(function: Any) -> str | None:
    """The framework whose compiler returned ``function``; ``None`` if it is not compiled.

    This imports neither framework.
    """
    if answers_all(function):
        return None
    if all(attribute(function, name) is not None for name in ("lower", "trace")):
        return "jax"
    if any(attribute(function, name) is not None for name in private.ORIGINALS):
        return "torch"
    return None


def framework_by_itself(function: Any) -> str | None:
    """The framework that a function is part of, or that compiled it; ``None`` for a plain one."""
    owner = attribute(function, "__self__")
    owner = function if owner is None else owner
    frameworks = {compiled_by(function)} - {None} or _libraries([owner])
    return frameworks.pop() if len(frameworks) == 1 else None


def belongs_to(function: Any) -> str | None:
    """The one framework that a function belongs to or names; ``None`` for none or both."""
    frameworks = {framework_by_itself(function)} - {None} or named([function], {})
    return frameworks.pop() if len(frameworks) == 1 else None


def named(functions: Iterable[Any], names: Mapping[str, Any]) -> set[str]:
    """The frameworks that functions name; if they name none, those that their module names.

    Args:
        functions: functions of one module.
        names: the module's globals.
    """
    seen: set[int] = set()
    used = {framework for function in functions for framework in _used_by(function, seen)}
    return used or _libraries(names.values())


def framework_of_wrapper(wrapper: Any) -> str | None:
    """The framework that a decorator around a function comes from, such as JAX for ``jax.grad``.

    Its ``__module__`` does not count: a decorator copies it from the function inside.
    """
    names = getattr(wrapper, "__globals__", {"__name__": type(wrapper).__module__})
    return LIBRARIES.get(str(names.get("__name__")).partition(".")[0])


def _used_by(function: Any, seen: set[int]) -> Iterator[str]:
    """The frameworks that a function names, itself or in functions of its module that it calls."""
    yield from _libraries([function])
    yield from filter(None, map(framework_of_wrapper, wrappers(function)))
    if isinstance(function, functools.partial):
        yield from _libraries([*function.args, *function.keywords.values()])
    function = original(function)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    names = set(_names(function.__code__))
    yield from (LIBRARIES[n.partition(".")[0]] for n in names if n.partition(".")[0] in LIBRARIES)
    values = [function.__globals__[name] for name in names & function.__globals__.keys()]
    values += _closed_over(function)
    yield from _libraries(values)
    for value in values:
        if harmless.is_a(value, FunctionType) and value.__module__ == function.__module__:
            yield from _used_by(value, seen)


def _closed_over(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # empty: its variable is not set yet
            yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    """The globals and imported modules that a function names, inner functions included."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "IMPORT_NAME"):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _libraries(values: Iterable[Any]) -> set[str]:
    """The frameworks that modules, classes, functions and objects come from."""
    roots = {root for value in values for root in _roots(value)}
    return {LIBRARIES[root] for root in roots if root in LIBRARIES}


def _roots(value: Any) -> Iterator[str]:
    if harmless.is_a(value, ModuleType):
        yield str(harmless.attribute(value, "__name__")).partition(".")[0]
        return
    classes = harmless.bases(value if harmless.is_a(value, type) else type(value))
    modules = [harmless.attribute(value, "__module__"), *map(harmless.module_of, classes)]
    yield from (name.partition(".")[0] for name in modules if type(name) is str)
