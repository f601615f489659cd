"""What JAX reports about its own tracing and compiling, call by call.

Counts come from ``jax.monitoring``. Reasons come from comparing what identifies the calls to JAX,
or from ``jax.explain_cache_misses`` if there is no earlier call to compare with.
"""

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import MethodType
from typing import Any

import jax
import jax.monitoring

from jaxvstorch._explain.jax.reasons import EarlierCalls, from_message, is_among
from jaxvstorch._explain.jax.signature import Signature, parameters, signature
from jaxvstorch._explain.ledger_cures import BEFORE, DISABLED, ENABLE, Why, unzip
from jaxvstorch._explain.ledger_rows import Compilations
from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import jax as private

TRACED = "/jax/core/compile/jaxpr_trace_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"


class Watch:
    """Counts, during one ledger, how often a function is traced and compiled in each call."""

    def __init__(self, name: str, function: Any) -> None:
        """``name`` is the one that JAX reports for ``function``."""
        self._name, self._function = name, function
        self._earlier = EarlierCalls(function)
        self._seen: list[Signature] = []

    @contextmanager
    def __call__(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Iterator[Callable[[bool], Compilations]]:
        """Count in a block that calls the function with these arguments.

        Yields a function that returns the counts; its argument is whether the call raised.
        """
        function: Any = self._function
        if isinstance(function, MethodType):  # positions, such as static ones, include the object
            function, args = function.__func__, (function.__self__, *args)
        call = signature(function, args, dict(kwargs))

        def count_compilations(raised: bool) -> Compilations:
            traces, programs = (reports.count(self._name, what) for what in (TRACED, COMPILED))
            messages = log.reasons(self._name, parameters(function))
            whys = self._whys(call, messages, traces, programs)
            if getattr(jax.config, "jax_disable_jit", False):
                whys = [Why(DISABLED, ENABLE)]
            elif not (raised or whys or reports.events or is_among(call, self._seen)):
                whys = [Why(BEFORE)]
            if not raised:  # no program is kept of a call that raised
                self._earlier.add(call)
                self._seen.append(call)
            texts, cures = unzip(whys)
            return Compilations(traces, programs, 0, texts, int(DISABLED in texts), cures)

        with Reports() as reports, explained() as log:
            yield count_compilations

    def _whys(self, call: Signature, messages: list[Why], traces: int, programs: int) -> list[Why]:
        if set(messages) == {Why("first call")}:
            self._earlier.forget()
        if traces:
            whys = self._earlier.why_traced(call)
            return whys or messages or [Why("first call")]
        return self._earlier.why_compiled(call) if programs else []


class Reports:
    """What JAX reports of tracing and compiling in a block: events, with a function's name."""

    def __enter__(self) -> "Reports":
        self.events: list[tuple[str, str]] = []
        jax.monitoring.register_event_duration_secs_listener(self._listen)
        return self

    def __exit__(self, *error: object) -> None:
        jax.monitoring.unregister_event_duration_listener(self._listen)

    def _listen(self, event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event in (TRACED, COMPILED):
            self.events.append((event, str(kwargs.get("fun_name"))))

    def count(self, name: str, event: str) -> int:
        """How often a function of this name was traced, or compiled."""
        return sum(self.events.count((event, form)) for form in (name, f"jit({name})"))


@contextmanager
def explained() -> Iterator["_Messages"]:
    """Collect what JAX logs about traces that it did not find, in this block."""
    log, logger = _Messages(), logging.getLogger(private.CACHE_MISSES)
    compare = None
    with suppress(MissingNameError):
        compare = private.diff_tracing_cache_keys
        private.assign("diff_tracing_cache_keys", functools.partial(_compared, compare))
    logger.addFilter(log)
    try:
        with jax.explain_cache_misses(True):
            yield log
    finally:
        logger.removeFilter(log)
        if compare is not None:
            private.assign("diff_tracing_cache_keys", compare)


def _compared(compare: Any, *keys: Any) -> Any:
    """JAX's comparison of two cache keys, which prints static values: their repr may raise."""
    try:
        return compare(*keys)
    except Exception:
        return (4, 0, "cache miss explanation unavailable")


class _Messages(logging.Filter):
    """Collects cache-miss explanations instead of printing them."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if "CACHE MISS" not in message:
            return True
        self.messages.append(message)
        return False

    def reasons(self, name: str, parameters: list[str]) -> list[Why]:
        """Why the function called ``name`` was traced."""
        whys = []
        for message in self.messages:
            if "never seen function" in message:
                if f"\n    {name} id=" in message:
                    whys.append(Why("first call"))
            elif f"\n  for {name} defined at" in message:
                lines = [line.strip().split("https://")[0] for line in message.splitlines()]
                differs = [line[2:] for line in lines if line.startswith("* ")]
                if all(line.startswith("jax_xla_profile_version") for line in differs) and differs:
                    whys.append(Why("first call"))  # the function was only explained so far
                else:
                    whys += from_message(differs, parameters) or [Why(lines[-1])]
        return whys
