"""What JAX reports about its own tracing and compiling, call by call.

Counts come from ``jax.monitoring``. Reasons come from comparing what identifies the calls to JAX,
or from ``jax.explain_cache_misses`` if there is no earlier call to compare with.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType, MethodType
from typing import Any

import jax
import jax.monitoring

from jaxvstorch._explain.jax.reasons import EarlierCalls, from_message
from jaxvstorch._explain.jax.signature import Signature, parameters, signature
from jaxvstorch._explain.ledger_rows import Compilations
from jaxvstorch._frameworks.private import jax as private

_TRACED = "/jax/core/compile/jaxpr_trace_duration"
_COMPILED = "/jax/core/compile/backend_compile_duration"


@contextmanager
def watch(
    name: str,
    function: Any = None,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Callable[..., Compilations]]:
    """Count how often the function called ``name`` is traced and compiled in this block.

    Args:
        name: the name that JAX reports.
        function: the one that is called in the block, if it is one.
        args: what it is called with.
        kwargs: the same by name.

    Yields a function that returns the counts so far; its argument is whether the call raised.
    """
    if isinstance(function, MethodType):  # positions, such as static ones, include the object
        function, args = function.__func__, (function.__self__, *args)
    earlier, call = EarlierCalls(function), signature(function, args, dict(kwargs))
    events: list[str] = []
    log = _Messages()

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if kwargs.get("fun_name") in (name, f"jit({name})"):
            events.append(event)

    def count_compilations(raised: bool = False) -> Compilations:
        traces, programs = events.count(_TRACED), events.count(_COMPILED)
        messages = log.reasons(name, parameters(function))
        reasons = _reasons(earlier, call, messages, traces, programs)
        if function is not None and not raised:  # no program is kept of a call that raised
            earlier.add(call)
        return Compilations(traces, programs, 0, reasons)

    logger = logging.getLogger(private.CACHE_MISSES)
    logger.addFilter(log)
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        with jax.explain_cache_misses(True):
            yield count_compilations
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
        logger.removeFilter(log)


def _reasons(
    earlier: EarlierCalls, call: Signature, messages: list[str], traces: int, programs: int
) -> tuple[str, ...]:
    if set(messages) == {"first call"}:
        earlier.forget()
    if traces:
        why = earlier.why_traced(call)
        return (why,) if why else tuple(dict.fromkeys(messages)) or ("first call",)
    return (earlier.why_compiled(call),) if programs else ()


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

    def reasons(self, name: str, parameters: list[str]) -> list[str]:
        """Why the function called ``name`` was traced, one text per trace."""
        reasons = []
        for message in self.messages:
            if "never seen function" in message:
                if f"\n    {name} id=" in message:
                    reasons.append("first call")
            elif f"\n  for {name} defined at" in message:
                lines = [line.strip().split("https://")[0] for line in message.splitlines()]
                differs = [line[2:] for line in lines if line.startswith("* ")]
                if all(line.startswith("jax_xla_profile_version") for line in differs) and differs:
                    differs = ["first call"]  # the function was only explained so far
                reasons.append(from_message(differs, parameters) or lines[-1])
        return reasons
