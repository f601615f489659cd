"""Compares an explanation's counts with the frameworks' own."""

import warnings
from collections.abc import Iterable
from typing import Any

from jaxvstorch._explain import breaks
from jaxvstorch._explain.explanation import Explanation

_HOLDERS = {
    "jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint",
    "remat", "remat2",
}  # fmt: skip


def equations(jaxpr: Any) -> int:
    """The number of equations in a jaxpr and inside it, without those that only structure it."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    number = 0
    for equation in jaxpr.eqns:
        number += equation.primitive.name not in _HOLDERS
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                if hasattr(getattr(inner, "jaxpr", inner), "eqns"):
                    number += equations(inner)
    return number


def check_jaxpr(explanation: Explanation, jaxpr: Any) -> None:
    """The program has as many operations as the jaxpr, made by JAX itself, has equations."""
    (program,) = explanation.programs
    assert sum(program.operations.values()) == equations(jaxpr)


def check_dynamo(explanation: Explanation, function: Any, *args: Any, **kwargs: Any) -> None:
    """Graphs, operations and breaks are those that ``torch._dynamo.explain`` counts.

    This calls the function once more, or twice: Dynamo's explanation holds the reason of a break
    only where a graph ends at it; the others are in a list that a call by itself leaves behind.
    """
    import torch
    from torch._dynamo.utils import get_compilation_metrics, graph_break_reasons

    # Told as breaks, but no graph ends there: a whole function that Dynamo leaves out, and a call.
    locations = {
        (f.file, f.line)
        for f in explanation.found("break")
        if f.what != breaks.CALL and not f.what.startswith(breaks.LEFT_OUT)
    }
    with warnings.catch_warnings(action="ignore"):  # Dynamo warns of what it cannot translate
        torch.compiler.reset()
        report = torch._dynamo.explain(function)(*args, **kwargs)
        reasons = report.break_reasons
        known_locations = _places(reasons)
        if not locations <= known_locations:
            torch.compile(function, backend="eager")(*args, **kwargs)
            reasons = [*reasons, *graph_break_reasons]
            known_locations = _places(reasons) | {
                (metrics.fail_user_frame_filename, metrics.fail_user_frame_lineno)
                for metrics in get_compilation_metrics()
            }
        torch.compiler.reset()
    assert len(explanation.programs) == report.graph_count
    # Dynamo counts what is called as a function, and leaves methods and modules out.
    other = [
        n for g in report.graphs for n in g.graph.nodes if n.op in ("call_method", "call_module")
    ]
    top = sum(program.operations.get(program.name, 0) for program in explanation.programs)
    assert top - len(other) == report.op_count
    assert locations <= known_locations, "a break that Dynamo does not know of"
    missed = [r for r in reasons if r.graph_break and not _places([r]) & locations]
    assert not missed, "a break of Dynamo's that was not found"


def _places(reasons: Iterable[Any]) -> set[tuple[str, int]]:
    return {(frame.filename, frame.lineno) for r in reasons for frame in r.user_stack}
