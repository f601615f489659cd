"""The map's names for functions and layers of JAX."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, reduce
from types import SimpleNamespace
from typing import Any

import jax

from jaxvstorch._frameworks.installed import import_path, is_instrument
from jaxvstorch._port.map.rows import jax_rows
from jaxvstorch._port.map.running.of_jax import of_jax

_LIBRARIES = ("equinox", "flax", "haiku")  # with names of layers; those not imported are not used
_INSTALLED = ("jax", "jaxlib", "flax", "optax", "equinox", "numpy")
_NO_CODE = SimpleNamespace(co_filename="", co_name="")
_WRAPPERS = 4  # around a function that takes a gradient
DERIVATIVES = (
    "grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "filter_grad", "filter_value_and_grad",
)  # fmt: skip


def name_of(function: Any) -> str | None:
    """The map's name for a function, a method of an array, or a layer; None for any other."""
    owner = getattr(function, "__self__", None)
    bare = getattr(function, "__name__", "")
    if isinstance(owner, jax.Array):
        return f"Array.{bare}" if f"Array.{bare}" in jax_rows() else None
    if type(owner).__name__ == "_IndexUpdateRef":
        return f"Array.at.{bare}"
    library = type(function).__module__.partition(".")[0]
    if library in ("flax", "equinox"):
        return layer_name(type(function))
    known = _by_identity(tuple(name for name in _LIBRARIES if name in sys.modules))
    return known.get(id(function), (None, None))[1]


def layer_name(layer: type) -> str | None:
    """The name of a class of layers, as ``nnx.Linear``, ``flax.linen.Dense``; none of another."""
    library, _, rest = layer.__module__.partition(".")
    if library == "flax":
        module = {"linen": "flax.linen", "nnx": "nnx"}.get(rest.partition(".")[0])
    else:
        module = "equinox.nn" if rest.startswith("nn") else None
    return f"{module}.{layer.__name__}" if module else None


@cache
def _by_identity(libraries: tuple[str, ...]) -> dict[int, tuple[Any, str]]:
    """Each function, and its name, by its ``id``."""
    known: dict[int, tuple[Any, str]] = {}
    for forms in (False, True):  # a name before others of the same function
        for name in jax_rows():
            root, *rest = name.split(".")
            if root == "Array" or bool(jax_rows()[name].form_of) is not forms:
                continue
            try:
                if root not in _LIBRARIES:
                    value = of_jax(name)
                elif root in libraries:  # without importing more of it
                    value = reduce(getattr, rest, sys.modules[root])
                else:
                    continue
            except (AttributeError, ImportError):  # another version has it
                continue
            if callable(value):
                known.setdefault(id(value), (value, name))
    return known


@contextmanager
def names_anew() -> Iterator[None]:
    """A block in which functions of JAX that were replaced have the names of those that were."""
    _by_identity.cache_clear()
    try:
        yield
    finally:
        _by_identity.cache_clear()


def derivative_name(function: Any) -> str | None:
    """``jax.grad`` or the like, where a function takes the derivative of another."""
    if type(function).__name__ in ("_GradWrapper", "_ValueAndGradWrapper"):
        value = "Value" in type(function).__name__
        return "equinox.filter_value_and_grad" if value else "equinox.filter_grad"
    pending, own = [function], package_of(getattr(function, "__code__", _NO_CODE).co_filename)
    for _ in range(_WRAPPERS):
        inner: list[Any] = []
        for one in pending:
            code = getattr(one, "__code__", _NO_CODE)
            library = package_of(code.co_filename)
            if library not in ("jax", "flax"):
                continue
            made_by = code.co_qualname.partition(".")[0]
            if made_by in DERIVATIVES:
                return f"{'nnx' if own == 'flax' else own}.{made_by}"
            inner += [cell.cell_contents for cell in one.__closure__ or ()]
        pending = inner
    return None


def optimizer_name(function: Any) -> str | None:
    """``optax.update`` where a function is an optimizer's update, or flax's around one."""
    owner = type(getattr(function, "__self__", None))
    if owner.__module__.startswith("flax.") and "Optimizer" in owner.__name__:
        return "nnx.Optimizer.update" if function.__name__ == "update" else None
    code = getattr(function, "__code__", _NO_CODE)
    if code.co_name.startswith("update") and package_of(code.co_filename) == "optax":
        return "optax.update"
    return None


def is_of_library(file: str) -> bool:
    """Whether a file is a library's, this package's, or part of Python itself."""
    return file.startswith("<frozen") or package_of(file) in _INSTALLED or is_instrument(file)


def package_of(file: str) -> str:
    """The name of the installed package that a file belongs to."""
    _, parts = import_path(file) or ("", ("",))
    return parts[0]
