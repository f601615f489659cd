"""What ``explain`` and ``ledger`` read from Dynamo."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from jaxvstorch._explain.python.unwrap import attribute
from jaxvstorch._explain.torch import interventions
from jaxvstorch._frameworks.private import torch as private


def stack(translator: Any, line: int) -> list[tuple[str, int]]:
    """The current lines of a translator and of those around it, the outermost first."""
    lines = [(translator.f_code.co_filename, line)]
    while (translator := getattr(translator, "parent", None)) is not None:
        lines.append((translator.f_code.co_filename, translator.lineno))
    return lines[::-1]


def attempt() -> tuple[Any, int]:
    """The id of the current compilation, and the number of Dynamo's attempt at it."""
    trace_id = private.CompileContext.current_trace_id()
    return (None, 0) if trace_id is None else (trace_id.compile_id, trace_id.attempt)


def guards() -> set[str]:
    """The values that the current compilation has guarded so far by more than their type."""
    context = private.TracingContext.try_get()
    all_guards = context.guards_context.dynamo_guards if context else ()
    return {guard.name for guard in all_guards if guard.create_fn_name() not in _LOOSE}


_LOOSE = {"TYPE_MATCH", "DUPLICATE_INPUT", "WEAKREF_ALIVE", "TENSOR_MATCH"}


def options(compiled: Any) -> dict[str, Any]:
    """The options of a compiled function or module, without its backend."""
    context = _context(compiled)
    whole = getattr(context, "fullgraph", getattr(context, "nopython", False))
    return {"fullgraph": bool(whole), "dynamic": getattr(context, "_dynamic", None)}


def backend(compiled: Any) -> tuple[str, dict[str, Any]]:
    """The name of the backend of a compiled function or module, and Inductor's own options."""
    callback = getattr(_context(compiled), "callback", None)
    if callback is None:
        return "inductor", {}
    inner = interventions.innermost(callback)
    name = getattr(inner, "compiler_name", getattr(inner, "__name__", type(inner).__name__))
    return str(name), dict(getattr(inner, "config", None) or {})


def _context(compiled: Any) -> Any:
    compiled = attribute(compiled, "__func__") or compiled  # of a method
    compiled = attribute(compiled, "_compiled_call_impl") or compiled  # by module.compile()
    context = attribute(compiled, "dynamo_ctx")
    if context is None and inspect.isfunction(compiled):
        context = inspect.getclosurevars(compiled).nonlocals.get("self")
    return context if isinstance(context, private.DynamoContext) else None


@dataclass(frozen=True)
class Failure:
    """Why Dynamo left a frame to Python, from its records: the text, and the line."""

    text: str
    file: str
    line: int


@contextmanager
def reported() -> Iterator[tuple[list[Any], list[Failure]]]:
    """Yield two lists, filled at the end: graph breaks, and failures to compile a whole frame."""
    breaks: list[Any] = []
    failures: list[Failure] = []
    count_before = len(private.graph_break_reasons)
    earlier = {id(metrics): metrics for metrics in private.get_compilation_metrics()}
    try:
        yield breaks, failures
    finally:
        breaks += [r for r in private.graph_break_reasons[count_before:] if r.graph_break]
        for metrics in private.get_compilation_metrics():
            if id(metrics) not in earlier and (reason := getattr(metrics, "fail_reason", None)):
                file = getattr(metrics, "fail_user_frame_filename", None) or metrics.co_filename
                line = getattr(metrics, "fail_user_frame_lineno", None) or metrics.co_firstlineno
                failures.append(Failure(reason, file or "", line or 0))


def is_left_out(frame: Any) -> bool:
    """Whether Dynamo has a rule to leave a frame to Python, such as one for its file."""
    is_skipped = private.is_skipped
    # Before PyTorch 2.13 the rules may take only a code object.
    arguments = {"frame": frame} if "frame" in inspect.signature(is_skipped).parameters else {}
    return bool(is_skipped(frame.f_code, **arguments))


def is_switched_off() -> bool:
    """Whether Dynamo is switched off for the function that Python enters now."""
    return private.get_eval_frame_callback() is None


def is_disabled(frame: FrameType | None) -> bool:
    """Whether ``torch.compiler.disable`` is around a function or what called it."""
    while frame is not None:
        if frame.f_code.co_qualname.startswith("DisableContext."):
            return True
        frame = frame.f_back
    return False


def is_generated(code: CodeType) -> bool:
    """Whether Dynamo wrote this code to replace a function's own."""
    return code in private.output_codes


def compilations() -> list[Any]:
    """Dynamo's records of its latest compilations."""
    return list(private.get_compilation_metrics())


def graphs_compiled() -> int:
    """How many graphs Dynamo has handed to a backend."""
    return int(private.counters["stats"]["unique_graphs"])


def breaks_so_far() -> int:
    """How many graph breaks Dynamo has met."""
    # counters["graph_break"] leaves out the breaks at an `if` on a tensor.
    return len(private.graph_break_reasons)
