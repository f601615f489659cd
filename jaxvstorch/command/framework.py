"""Which framework a function is written for, told by what it and its module name."""

import dis
import functools
import inspect
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from types import CodeType, FunctionType, ModuleType
from typing import Any

from jaxvstorch import frameworks
from jaxvstorch.command import BadInputError
from jaxvstorch.command.target import Target

# Whose names stand for which framework.
_LIBRARIES = {
    "jax": "jax", "jaxlib": "jax", "flax": "jax", "equinox": "jax", "optax": "jax",
    "haiku": "jax", "diffrax": "jax", "blackjax": "jax", "numpyro": "jax", "chex": "jax",
    "torch": "torch", "torchvision": "torch", "torchaudio": "torch", "lightning": "torch",
}  # fmt: skip


def framework_of(target: Target, given: str | None, values: Iterable[Any] = ()) -> str:
    """``"jax"`` or ``"torch"``: as given, else as the function tells, else as its module does.

    Args:
        target: the function, and its module.
        given: with ``--framework``.
        values: of static arguments, which tell as much as the function does.

    Raises:
        BadInputError: neither tells, or both frameworks are there, or what is given is wrong.
        MissingFrameworkError: it is not installed.
    """
    compiled = compiled_by(target.function)
    if given is not None and given not in frameworks.FRAMEWORKS:
        raise BadInputError(f"--framework must be jax or torch, not {given!r}")
    if given is not None and compiled is not None and given != compiled:
        raise BadInputError(
            f"--framework {given} contradicts {target.text}, which {_COMPILERS[compiled]} compiled"
        )
    framework = given or compiled or _told(target, values)
    frameworks.require(framework, wanted_by=target.text)
    return framework


_COMPILERS = {"jax": "jax.jit", "torch": "torch.compile"}


def compiled_by(function: Any) -> str | None:
    """The framework whose compiler returned ``function``; ``None`` where it is not compiled."""
    if hasattr(function, "lower") and hasattr(function, "trace"):
        return "jax"
    if hasattr(function, "_torchdynamo_orig_callable") or hasattr(function, "_orig_mod"):
        return "torch"
    return None


def _told(target: Target, values: Iterable[Any]) -> str:
    seen_functions: set[int] = set()
    used = {f for value in (target.function, *values) for f in _used_by(value, seen_functions)}
    seen = used or _libraries(vars(target.module).values())
    if len(seen) == 1:
        return seen.pop()
    installed = [name for name in frameworks.FRAMEWORKS if find_spec(name)]
    if not seen and len(installed) == 1:
        return installed[0]
    there = "uses both frameworks" if seen else "names neither framework"
    raise BadInputError(f"{target.text} {there}: say which with --framework jax or torch")


def _used_by(function: Any, seen: set[int]) -> Iterator[str]:
    """The frameworks that a function names, itself or in functions of its module it calls."""
    if isinstance(function, functools.partial):
        yield from _libraries([*function.args, *function.keywords.values()])
        function = function.func
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(function, FunctionType):
        yield from _libraries([function])
        function = inspect.unwrap(type(function).__call__)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    names = set(_names(function.__code__))
    yield from (_LIBRARIES[n.partition(".")[0]] for n in names if n.partition(".")[0] in _LIBRARIES)
    values = [function.__globals__[name] for name in names & function.__globals__.keys()]
    values += _closed_over(function)
    yield from _libraries(values)
    for value in values:
        if isinstance(value, FunctionType) and value.__module__ == function.__module__:
            yield from _used_by(value, seen)


def _closed_over(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # empty: its variable was never set
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
    return {_LIBRARIES[root] for root in roots if root in _LIBRARIES}


def _roots(value: Any) -> Iterator[str]:
    if isinstance(value, ModuleType):
        yield value.__name__.partition(".")[0]
        return
    classes = value.__mro__ if inspect.isclass(value) else type(value).__mro__
    for owner in (value, *classes):
        yield str(getattr(owner, "__module__", "")).partition(".")[0]
