"""What Dynamo reports about its own tracing and compiling, call by call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from jaxvstorch._explain.ledger_cures import BEFORE, Why, unzip
from jaxvstorch._explain.ledger_rows import Compilations
from jaxvstorch._explain.python.unwrap import original
from jaxvstorch._explain.torch import dynamo, dynamo_cache, listening
from jaxvstorch._explain.torch.reasons import Reasons


class Watch:
    """Counts, during one ledger, what Dynamo translates and compiles in each call."""

    def __init__(self, name: str, function: Any) -> None:
        """``name`` is not used; JAX's ``Watch`` takes it."""
        self._function = function
        code = getattr(original(function), "__code__", None)
        self._code = code if isinstance(code, CodeType) else None
        self._old = self._kept()
        self._has_compiled = False

    def _kept(self) -> list[Any]:
        return dynamo_cache.programs_kept(self._code) if self._code else []

    @contextmanager
    def __call__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Iterator[Callable[[bool], Compilations]]:
        """Count in a block that calls the function with these arguments.

        Yields a function that returns the counts; its argument is whether the call raised.
        """
        earlier = {id(metrics): metrics for metrics in dynamo.compilations()}
        programs, breaks = dynamo.graphs_compiled(), dynamo.breaks_so_far()
        reasons = Reasons(self._function, args, kwargs)

        def count_compilations(raised: bool) -> Compilations:
            new = [metrics for metrics in dynamo.compilations() if id(metrics) not in earlier]
            frames = [metrics for metrics in new if metrics.co_name is not None]
            reasons.ended(new, raised)
            texts, cures = unzip(reasons.whys() or self._whys(reasons.found, bool(frames)))
            self._has_compiled |= bool(frames)
            return Compilations(
                traces=len(frames),
                programs=dynamo.graphs_compiled() - programs,
                breaks=dynamo.breaks_so_far() - breaks + reasons.breaks,
                reasons=texts,
                uncompiled=reasons.uncompiled,
                cures=cures,
            )

        with listening.listening(reasons):
            yield count_compilations

    def _whys(self, is_found: bool, has_traced: bool) -> list[Why]:
        """Whether a program was found that is older than the ledger, and new to it."""
        if has_traced or not is_found:
            return []
        used = self._kept()[:1]  # Dynamo keeps the program that it used last in front
        is_old = any(entry in self._old for entry in used) if used else not self._has_compiled
        self._old = [entry for entry in self._old if entry not in used]
        self._has_compiled |= not used  # it is said once
        return [Why(BEFORE)] if is_old else []
