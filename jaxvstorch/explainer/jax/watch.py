"""What JAX reports of its own tracing and compiling.

Counts come from ``jax.monitoring``. The reasons are what ``jax.explain_cache_misses`` logs, which
is the one place where JAX says them.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import jax
import jax.monitoring

from jaxvstorch.explainer.compilations import Compilations

_TRACED = "/jax/core/compile/jaxpr_trace_duration"
_COMPILED = "/jax/core/compile/backend_compile_duration"
_LOGGER = "jax._src.interpreters.partial_eval"


@contextmanager
def watch(name: str) -> Iterator[Callable[[], Compilations]]:
    """Count what the function called ``name`` is traced and compiled in this block.

    Yields a function that returns the counts so far.
    """
    events: list[str] = []
    log = _Messages()

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if kwargs.get("fun_name") in (name, f"jit({name})"):
            events.append(event)

    def seen() -> Compilations:
        return Compilations(events.count(_TRACED), events.count(_COMPILED), 0, log.reasons(name))

    logger = logging.getLogger(_LOGGER)
    logger.addFilter(log)
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        with jax.explain_cache_misses(True):
            yield seen
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
        logger.removeFilter(log)


class _Messages(logging.Filter):
    """Keeps cache-miss explanations, and keeps them from being printed."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if "CACHE MISS" not in message:
            return True
        self.messages.append(message)
        return False

    def reasons(self, name: str) -> tuple[str, ...]:
        """Why ``name`` was traced, one text per trace."""
        found = []
        for message in self.messages:
            if "never seen function" in message:
                if f"\n    {name} id=" in message:
                    found.append("first call")
            elif f"\n  for {name} defined at" in message:
                lines = [line.strip().split("https://")[0] for line in message.splitlines()]
                differs = [line[2:] for line in lines if line.startswith("* ")]
                if all(line.startswith("jax_xla_profile_version") for line in differs) and differs:
                    differs = ["first call"]  # so far the function was only explained
                found.append("; ".join(differs) or lines[-1])
        return tuple(found)
