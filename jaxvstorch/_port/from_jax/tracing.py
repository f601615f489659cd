"""Traces a call to a jaxpr in which the calls of the reader's code are marked."""

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import islice
from typing import Any

import jax
import numpy as np

from jaxvstorch._explain.jax import traces
from jaxvstorch._explain.python.unwrap import original
from jaxvstorch._port import api
from jaxvstorch._port.from_jax.names import is_of_library
from jaxvstorch._port.from_jax.watcher import Watcher
from jaxvstorch._port.from_jax.watching import is_watched, watched
from jaxvstorch._port.report_data import Location

_ARRAYS = (jax.Array, np.ndarray, np.generic)
# They call a reader's layers one after another.
_SEQUENTIAL = (
    ("flax.nnx", "Sequential"),
    ("flax.linen", "Sequential"),
    ("equinox.nn", "Sequential"),
)
_OTHER_CODE = (
    "The source of {} is not what runs: of these functions, the operations alone were compared."
).format
_WITHOUT_MARKS = (
    "The calls could not be followed, and so no line has a call in PyTorch: {}: {}".format
)


def trace(
    function: Callable[..., Any], args: Any, kwargs: Any, location: Location
) -> tuple[Any, list[Any], str | None]:
    """The jaxpr of a call, the arrays that it takes, and why its calls have no marks, if so.

    Python's numbers, flags and functions stay as they are, whether they are arguments or part of
    one, such as a module of equinox. Only the arrays among the results are kept. The function is
    traced once as it is, and then with the calls marked on the lines that the first trace shows.
    """
    function, args = _with_module(function, args)
    leaves, tree = jax.tree.flatten((args, kwargs))
    arrays = [leaf for leaf in leaves if isinstance(leaf, _ARRAYS)]

    def traced(call: Callable[..., Any]) -> Any:
        @wraps(function)  # an error names it
        def of_arrays(*tracers: Any) -> list[Any]:
            rest = iter(tracers)
            merged = [next(rest) if isinstance(leaf, _ARRAYS) else leaf for leaf in leaves]
            args, kwargs = jax.tree.unflatten(tree, merged)
            called = function
            if called is _call_module:
                called, *args = args
            results = jax.tree.leaves(call(called, args, kwargs))
            return [leaf for leaf in results if isinstance(leaf, _ARRAYS)]

        return jax.make_jaxpr(of_arrays)(*arrays)

    try:
        plain = traced(lambda function, args, kwargs: function(*args, **kwargs))
    except Exception as error:
        if "trace level" in str(error):  # flax's words
            error.add_note("port traces the function: pass the module to it as an argument")
        raise
    watcher = Watcher()
    files = {*_files(plain.jaxpr), *_files_of(function), *_sequential()}
    try:
        with watched(files, watcher), traces.fresh_traces():
            marked = traced(lambda *call: watcher.call_at(location, *call))
    except Exception as error:
        return plain, arrays, _WITHOUT_MARKS(type(error).__name__, str(error).partition("\n")[0])
    names = dict.fromkeys(_unwatched(marked.jaxpr))
    return marked, arrays, _OTHER_CODE(", ".join(names)) if names else None


def _unwatched(jaxpr: Any) -> Iterator[str]:
    """The names of the reader's functions that ran with their own code."""
    for eqn in jaxpr.eqns:
        codes = [code for code, _ in traces.raw_frames(eqn.source_info.traceback)]
        inside = next((i for i, c in enumerate(codes[::-1]) if c.co_filename == api.__file__), None)
        for code in codes[len(codes) - inside :] if inside is not None else codes:
            if not is_of_library(code.co_filename) and not is_watched(code):
                yield code.co_qualname
        for _, inner in traces.inner_programs(eqn):
            yield from _unwatched(getattr(inner, "jaxpr", inner))


def _call_module(module: Any, *args: Any, **kwargs: Any) -> Any:
    return module(*args, **kwargs)


def _with_module(function: Callable[..., Any], args: Any) -> tuple[Callable[..., Any], Any]:
    """A function that takes its flax module as an argument, so that its state can change."""
    nnx = sys.modules.get("flax.nnx")
    owner = getattr(function, "__self__", function)
    if nnx is None or not isinstance(owner, nnx.Module):
        return function, args
    if owner is not function:
        return function.__func__, (owner, *args)  # type: ignore[attr-defined]
    return _call_module, (owner, *args)


def _files_of(function: Any) -> Iterator[str]:
    code = getattr(original(function), "__code__", None)
    if code is not None and not is_of_library(code.co_filename):
        yield code.co_filename


def _sequential() -> Iterator[str]:
    for module, name in _SEQUENTIAL:
        layer = getattr(sys.modules.get(module), name, None)
        if layer is not None:
            yield original(layer.__call__).__code__.co_filename


def _files(jaxpr: Any) -> Iterator[str]:
    """The reader's files that a jaxpr's operations come from."""
    for eqn in jaxpr.eqns:
        for code, _ in traces.raw_frames(eqn.source_info.traceback):
            if not is_of_library(code.co_filename):
                yield code.co_filename
        for _, inner in traces.inner_programs(eqn):
            yield from _files(getattr(inner, "jaxpr", inner))


def location_of(eqn: Any) -> Location | None:
    """The innermost location on the stack of an equation that is in no library.

    None where that is the call of ``port`` itself.
    """
    inner = None
    for code, instruction in reversed(traces.raw_frames(eqn.source_info.traceback)):
        file = code.co_filename
        if is_of_library(file):
            inner = code
            continue
        if inner is not None and inner.co_filename == api.__file__:
            return None
        position = next(islice(code.co_positions(), instruction, None), None)
        if position is None or position[0] is None:
            return Location(file, code.co_firstlineno)
        return Location(file, position[0], *position[1:])
    return None
