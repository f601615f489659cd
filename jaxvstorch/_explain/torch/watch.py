"""What Dynamo reports about its own tracing and compiling, call by call."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from jaxvstorch._explain.ledger_rows import Compilations
from jaxvstorch._explain.torch import dynamo, listening
from jaxvstorch._explain.torch.reasons import Reasons


@contextmanager
def watch(
    name: str,
    function: Any = None,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Callable[..., Compilations]]:
    """Count what Dynamo translates and compiles in this block, whatever the function's name.

    Args:
        name: not used; JAX's ``watch`` takes it.
        function: the one that is called in the block, if it is one.
        args: what it is called with.
        kwargs: the same by name.

    Yields a function that returns the counts so far; its argument is whether the call raised.
    """
    earlier = {id(metrics): metrics for metrics in dynamo.compilations()}
    programs, breaks = dynamo.graphs_compiled(), dynamo.breaks_so_far()
    reasons = Reasons(function, args, dict(kwargs))

    def count_compilations(raised: bool = False) -> Compilations:
        new = [metrics for metrics in dynamo.compilations() if id(metrics) not in earlier]
        frames = [metrics for metrics in new if metrics.co_name is not None]
        reasons.ended(new, raised)
        return Compilations(
            traces=len(frames),
            programs=dynamo.graphs_compiled() - programs,
            breaks=dynamo.breaks_so_far() - breaks + reasons.breaks,
            reasons=reasons.texts(),
            uncompiled=reasons.uncompiled,
        )

    with listening.listening(reasons):
        yield count_compilations
