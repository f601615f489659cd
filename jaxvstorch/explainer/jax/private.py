"""The parts of JAX that ``explain`` needs and that JAX does not promise to keep.

``proven`` names the versions that they were seen to work on.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any

import jax
from jax._src.config import jax_xla_profile_version

_unused_versions = itertools.count(1_000_000)


def fresh_traces() -> AbstractContextManager[None]:
    """Inside, everything is traced afresh: a kept trace would run no lines.

    JAX keeps traces, those of inner functions too, by function, shapes and settings. This setting
    changes nothing but the key. A user context, which is public, would do the same, but making the
    first one of a process makes JAX forget all its traces.
    """
    context: AbstractContextManager[None] = jax_xla_profile_version(next(_unused_versions))
    return context


def compiled_again(jitted: Any, anew: Callable[[Any], Any]) -> Any:
    """A jitted function made once more with its options, of another function that does the same.

    What JAX remembers of the first one stays as it is. Where shardings were given, or the options
    are not to be had, it is the first one itself.
    """
    info = getattr(jitted, "_jit_info", None)
    if info is None or info.user_specified_in_shardings or info.use_resource_env:
        return jitted
    if any(type(leaf).__name__ != "UnspecifiedValue" for leaf in info.out_shardings_leaves):
        return jitted
    return jax.jit(
        anew(jitted.__wrapped__),
        static_argnums=info.static_argnums,
        static_argnames=info.static_argnames,
        donate_argnums=info.donate_argnums,
        donate_argnames=info.donate_argnames,
        keep_unused=info.keep_unused,
        inline=info.inline,
        compiler_options=dict(info.compiler_options_kvs) or None,
    )


def static_names(jitted: Any) -> tuple[str, ...] | None:
    """The arguments that are static in a jitted function; ``None`` where that is not to be had."""
    return getattr(getattr(jitted, "_jit_info", None), "static_argnames", None)


class Frames:
    """Reads where equations were traced, and remembers the lines of the code it has met."""

    def __init__(self) -> None:
        # By the code object's id, since to hash one takes long; it is kept so that its id is.
        self._lines: dict[int, tuple[CodeType, dict[int, int]]] = {}

    def of(self, eqn: Any) -> list[tuple[CodeType, int]]:
        """Code and line of every Python frame that an equation was traced in, outermost first."""
        traceback = eqn.source_info.traceback
        codes, places = traceback.raw_frames() if traceback else ((), ())
        return [
            (code, self._line(code, place))
            for code, place in zip(reversed(codes), reversed(places), strict=True)
        ]

    def _line(self, code: CodeType, place: int) -> int:
        known = self._lines.get(id(code))
        if known is None:
            numbers = enumerate(position[0] for position in code.co_positions())
            known = code, {number: line for number, line in numbers if line is not None}
            self._lines[id(code)] = known
        return known[1].get(place // 2, code.co_firstlineno)


def inner_jaxprs(eqn: Any) -> Iterator[tuple[str, Any]]:
    """The programs inside an equation, each with the name of the parameter that holds it."""
    for name, value in eqn.params.items():
        for item in value if isinstance(value, tuple | list) else (value,):
            jaxpr = getattr(item, "jaxpr", item)
            if hasattr(jaxpr, "eqns") and hasattr(jaxpr, "invars"):
                yield name, jaxpr
