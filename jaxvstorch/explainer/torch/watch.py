"""What Dynamo reports of its own tracing and compiling.

Dynamo has no public interface for this. What is used here, ``torch._dynamo.utils``, is where its
own ``torch._dynamo.explain`` and ``tlparse`` get their numbers.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torch._dynamo.utils import counters, get_compilation_metrics, graph_break_reasons

from jaxvstorch.explainer.compilations import Compilations


@contextmanager
def watch(name: str) -> Iterator[Callable[[], Compilations]]:
    """Count what Dynamo translates and compiles in this block, whatever the function's name.

    Yields a function that returns the counts so far.
    """
    earlier = {id(metrics): metrics for metrics in get_compilation_metrics()}
    programs, breaks = _programs(), _breaks()

    def seen() -> Compilations:
        new = [metrics for metrics in get_compilation_metrics() if id(metrics) not in earlier]
        frames = [metrics for metrics in new if metrics.co_name is not None]
        reasons = tuple(_reason(metrics) for metrics in frames if not _resumes(metrics))
        return Compilations(len(frames), _programs() - programs, _breaks() - breaks, reasons)

    yield seen


def _programs() -> int:
    return int(counters["stats"]["unique_graphs"])


def _breaks() -> int:
    # counters["graph_break"] leaves out the breaks at an `if` on a tensor.
    return len(graph_break_reasons)


def _reason(metrics: object) -> str:
    """The guard that failed, without the source line and the stack that Dynamo writes after it."""
    text = metrics.recompile_reason or "first call"  # type: ignore[attr-defined]
    guard = str(text).splitlines()[0].split("  #")[0].strip()
    return re.sub(r", \d{9,}\)", ")", guard)  # the address of a class or function


def _resumes(metrics: object) -> bool:
    """Whether a frame is what was left of a function after a graph break."""
    return str(metrics.co_name).startswith("torch_dynamo_resume_in_")  # type: ignore[attr-defined]
