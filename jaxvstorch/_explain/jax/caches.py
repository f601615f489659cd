"""Caches of ``functools`` that hold traced values, which are useless after tracing."""

import functools
import gc
from types import FrameType
from typing import Any

import jax

from jaxvstorch._explain.python import harmless

_MOST = 1000


class Caches:
    """The caches around functions that ran while a function was traced.

    An entry that was made meanwhile may hold a traced value: the next call that finds it raises
    ``UnexpectedTracerError``, traced or not.
    """

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def entered(self, frame: FrameType) -> None:
        """Note a function that runs now; a cache around it has its name, here or at the call."""
        code, caller = frame.f_code, frame.f_back
        for names in (frame.f_globals, caller.f_locals if caller else {}):
            cache = names.get(code.co_name)
            if harmless.is_a(cache, functools._lru_cache_wrapper):
                self._found[code.co_name] = cache

    def spoilt(self) -> list[str]:
        """The names of the caches that hold traced values now."""
        return [name for name, cache in self._found.items() if _holds_tracer(cache)]

    def empty(self) -> None:
        """Empty the caches that hold traced values, so that the reader's program works."""
        for name in self.spoilt():
            self._found[name].cache_clear()


def _holds_tracer(cache: Any) -> bool:
    held = harmless.everything_in(gc.get_referents(cache), _MOST)
    return any(harmless.is_a(part, jax.core.Tracer) for part in held)
