"""What ``explain`` needs of JAX's traces: fresh ones, and the lines of their equations."""

import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any

import jax

from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import jax as private

Frame = tuple[CodeType, int]  # and a line in it

_unused_versions = itertools.count(1_000_000)


def fresh_traces() -> AbstractContextManager[None]:
    """A block in which JAX traces everything again: a cached trace would run no lines.

    JAX keeps traces, those of inner functions too, by function, shapes and settings. This setting
    changes nothing but the key. A user context, which is public, would do the same, but the first
    one in a process makes JAX forget all its traces.
    """
    context: AbstractContextManager[None] = private.profile_version(next(_unused_versions))
    return context


def copy_jitted(jitted: Any, copy_function: Callable[[Any], Any]) -> Any:
    """A second jitted function, of a copy of the function and with the same options.

    What JAX has cached for the first one does not change. If shardings were given, or the options
    cannot be read, the first one itself is returned.
    """
    info = getattr(jitted, private.JIT_INFO, None)
    if info is None or info.user_specified_in_shardings or info.use_resource_env:
        return jitted
    if any(type(leaf).__name__ != "UnspecifiedValue" for leaf in info.out_shardings_leaves):
        return jitted
    return jax.jit(
        copy_function(jitted.__wrapped__),
        static_argnums=info.static_argnums,
        static_argnames=info.static_argnames,
        donate_argnums=info.donate_argnums,
        donate_argnames=info.donate_argnames,
        keep_unused=info.keep_unused,
        inline=info.inline,
        compiler_options=dict(info.compiler_options_kvs) or None,
    )


def function_location(jaxpr: Any) -> tuple[str, int] | None:
    """The file and first line of the function that a jaxpr was traced from, if it has them."""
    info = getattr(jaxpr, "debug_info", None)
    file, line = getattr(info, "func_filename", None), getattr(info, "func_lineno", None)
    return (file, line) if file and line else None


def static_names(jitted: Any) -> tuple[str, ...] | None:
    """The arguments that are static in a jitted function; ``None`` if that cannot be read."""
    return getattr(getattr(jitted, private.JIT_INFO, None), "static_argnames", None)


@functools.cache
def _leave_out_this_file() -> None:
    """Let JAX's messages name the reader's line for an operation, not the one here that asks."""
    private.exclude_file(__file__)


class Sites:
    """Records, inside a ``with`` block, where JAX makes equations from earlier ones.

    ``grad`` and ``vmap`` do so, for example. JAX gives such an equation only the lines of the
    earlier one: not the line that calls ``grad``, unless the earlier one has it, and not the lines
    of a rule, such as the backward function of a ``custom_vjp``. If JAX has no such context,
    nothing is added to what JAX gives.
    """

    def __init__(self) -> None:
        # By id, together with the object, so that no other object gets the id.
        self._made: dict[int, tuple[Any, Any]] = {}
        self._earlier: dict[int, tuple[Any, Any]] = {}
        self._rules: dict[int, CodeType] = {}
        try:
            self._context, self._current = private.source_info_context, private.source_info
            _leave_out_this_file()
        except MissingNameError:
            self._context = None

    def __enter__(self) -> "Sites":
        if self._context is not None:
            private.assign("source_info", self._remember)
        return self

    def __exit__(self, *error: object) -> None:
        if self._context is not None:
            private.assign("source_info", self._current)

    def _remember(self) -> Any:
        """Called by JAX for the source of an equation."""
        info, transformed = self._current(), self._transformed()
        if transformed is None:
            return info
        here = type(transformed).get_traceback()
        if self._rules and any(id(code) in self._rules for code in here.raw_frames()[0]):
            self._earlier[id(here)] = here, transformed
            return info.replace(traceback=here)  # which stays with it when it is transformed again
        info = info.replace()  # an object of this equation's own
        self._made[id(info)] = info, here
        return info

    def _transformed(self) -> Any:
        """The traceback of the equation that is being transformed; ``None`` if none is."""
        return getattr(getattr(self._context, "context", None), "traceback", None)

    def enter(self, code: CodeType) -> None:
        """Note that a function of a shown file begins; during a transformation, it is a rule."""
        if self._transformed() is not None:
            self._rules[id(code)] = code

    def made(self, info: Any) -> Any:
        """The traceback of where an equation with this ``source_info`` was made, if remembered."""
        return self._made.get(id(info), (None, None))[1]

    def earlier(self, traceback: Any) -> Any:
        """The traceback of the equation that a rule turned into the one with this traceback."""
        return self._earlier.get(id(traceback), (None, None))[1]

    def begin_of_rule(self, frames: list[Frame]) -> int:
        """The number of frames around the outermost rule."""
        return next((i for i, (code, _) in enumerate(frames) if id(code) in self._rules), 0)


def raw_frames(traceback: Any) -> list[tuple[CodeType, int]]:
    """The code of every Python frame, outermost first, and the index of its instruction."""
    codes, offsets = traceback.raw_frames() if traceback else ((), ())
    return list(zip(reversed(codes), (offset // 2 for offset in reversed(offsets)), strict=True))


def inner_programs(eqn: Any) -> Iterator[tuple[str, Any]]:
    """The programs inside an equation, each with the name of the parameter that holds it."""
    for name, value in eqn.params.items():
        for item in value if isinstance(value, tuple | list) else (value,):
            jaxpr = getattr(item, "jaxpr", item)
            if hasattr(jaxpr, "eqns") and hasattr(jaxpr, "invars"):
                yield name, item


def trace_settings() -> dict[str, Any]:
    """The current settings that are part of a trace's key; empty if JAX names none."""
    try:
        names = private.trace_context_names()
        return dict(zip(names, private.trace_context(), strict=False))
    except (MissingNameError, NotImplementedError):
        return {}


@functools.cache
def sees_changed_hash() -> bool:
    """Whether JAX traces again when a static argument is the same object with another hash.

    JAX 0.12 does; 0.10 compares the object with itself, and takes it for equal.
    """
    numbers: list[int] = []

    class Changing:
        number = 0

        def __hash__(self) -> int:
            return self.number

    changing = Changing()
    jitted = jax.jit(lambda changing: numbers.append(changing.number), static_argnums=0)
    for changing.number in (0, 1):
        jitted(changing)
    return numbers == [0, 1]


def static_positions(jitted: Any) -> tuple[int, ...]:
    """The positions that are static in a jitted function; empty if that cannot be read."""
    return getattr(getattr(jitted, private.JIT_INFO, None), "static_argnums", None) or ()
