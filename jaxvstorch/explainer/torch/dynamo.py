"""What ``explain`` asks of Dynamo, and what it has Dynamo do."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any
from unittest import mock

import torch

from jaxvstorch.explainer.unwrap import attribute
from jaxvstorch.frameworks.private import MissingNameError
from jaxvstorch.frameworks.private import torch as private


@contextmanager
def lines_traced(tell: Callable[[Any, CodeType, int], None]) -> Iterator[None]:
    """Call ``tell(translator, code, line)`` for each line that Dynamo begins to read.

    Meanwhile operations also remember their lines in ``torch.nn``, which Dynamo leaves out.
    """
    original = private.InstructionTranslator.starts_line

    def starts_line(self: Any, lineno: int) -> None:
        if self.lineno != lineno and not _is_between_lines(self.current_instruction):
            tell(self, self.f_code, lineno)
        original(self, lineno)

    with (
        mock.patch.object(private.InstructionTranslator, "starts_line", starts_line),
        mock.patch.object(private.InstructionTranslator, "is_co_filename_from_nn_modules", _no),
    ):
        yield


def stack(translator: Any, line: int) -> list[tuple[str, int]]:
    """The lines that a translator and those around it are at, the outermost first."""
    found = [(translator.f_code.co_filename, line)]
    while (translator := getattr(translator, "parent", None)) is not None:
        found.append((translator.f_code.co_filename, translator.lineno))
    return found[::-1]


def _no(self: Any) -> bool:
    return False


def _is_between_lines(instruction: Any) -> bool:
    """Whether it carries the line before it without belonging to it.

    Jumps back to a loop's head do, and what Python does by itself when an error is caught.
    """
    places = getattr(instruction, "positions", None)
    is_nowhere = places is not None and places.lineno is None
    return is_nowhere or str(instruction.opname).startswith(("JUMP_BACKWARD", "PUSH_EXC_INFO"))


def leave_alone(*functions: Any) -> None:
    """Have Dynamo compile neither these functions nor what they call.

    PyTorch 2.10 compiles trace functions too, and under ``fullgraph=True`` fails where it cannot.
    """
    skip = private.FrameAction.SKIP
    strategy = private.FrameExecStrategy(skip, skip)
    for function in functions:
        private.set_code_exec_strategy(function.__code__, strategy)


def attempt() -> tuple[Any, int]:
    """What is being compiled now, and for the how manieth time Dynamo tries."""
    trace_id = private.CompileContext.current_trace_id()
    return (None, 0) if trace_id is None else (trace_id.compile_id, trace_id.attempt)


def guards() -> set[str]:
    """What is guarded so far of what is being compiled now, by more than its type."""
    context = private.TracingContext.try_get()
    found = context.guards_context.dynamo_guards if context else ()
    return {guard.name for guard in found if guard.create_fn_name() not in _LOOSE}


_LOOSE = {"TYPE_MATCH", "DUPLICATE_INPUT", "WEAKREF_ALIVE", "TENSOR_MATCH"}


def options(compiled: Any) -> dict[str, Any]:
    """The options that a compiled function or module was made with, but for its backend."""
    context = _context(compiled)
    whole = getattr(context, "fullgraph", getattr(context, "nopython", False))
    return {"fullgraph": bool(whole), "dynamic": getattr(context, "_dynamic", None)}


def without_limits() -> AbstractContextManager[None]:
    """Dynamo compiles a function as often as it is asked to; hold its lock meanwhile.

    ``torch.compile(isolate_recompiles=True)`` would leave the function's limit alone too, but it
    takes whatever other threads compile meanwhile for its own (seen in PyTorch 2.13.0).
    """
    limits = {"recompile_limit": _MANY, "accumulated_recompile_limit": _MANY}
    patched: AbstractContextManager[None] = private.dynamo_config.patch(limits)
    return patched


_MANY = 1_000_000


def backend(compiled: Any) -> tuple[str, dict[str, Any]]:
    """The name of the backend of a compiled function or module, and Inductor's own options."""
    callback = getattr(_context(compiled), "callback", None)
    if callback is None:
        return "inductor", {}
    inner = _innermost(callback)
    name = getattr(inner, "compiler_name", getattr(inner, "__name__", type(inner).__name__))
    return str(name), dict(getattr(inner, "config", None) or {})


def _context(compiled: Any) -> Any:
    compiled = attribute(compiled, "__func__") or compiled  # of a method
    compiled = attribute(compiled, "_compiled_call_impl") or compiled  # by module.compile()
    context = attribute(compiled, "dynamo_ctx")
    if context is None and inspect.isfunction(compiled):
        context = inspect.getclosurevars(compiled).nonlocals.get("self")
    return context if isinstance(context, private.DynamoContext) else None


@contextmanager
def counts_put_back() -> Iterator[None]:
    """What Dynamo counts for the whole process is at the end as it was; hold its lock meanwhile."""
    counters = {name: Counter(counts) for name, counts in private.counters.items()}
    reasons = list(private.graph_break_reasons)
    metrics = list(private.compilation_metrics)
    warned = set(private.warn_once_cache)
    try:
        yield
    finally:
        private.counters.clear()
        private.counters.update(counters)
        private.graph_break_reasons[:] = reasons
        private.warn_once_cache.intersection_update(warned)
        private.compilation_metrics.clear()
        private.compilation_metrics.extend(metrics)


@contextmanager
def looked_on(
    backend: Callable[..., Any], frame: Callable[[Any], AbstractContextManager[None]]
) -> Iterator[None]:
    """Enter ``frame(it)`` around each frame that Dynamo compiles for a backend.

    Dynamo's lock is held then, so that no other thread compiles. Other backends are left alone.
    """
    original = private.CatchErrorsWrapper.__call__

    def call(self: Any, its_frame: Any, *rest: Any) -> Any:
        if not is_for(backend, _innermost(self)):
            return original(self, its_frame, *rest)
        with private.compile_lock, frame(its_frame):
            result = original(self, its_frame, *rest)
        entries = private.cache_entries(its_frame.f_code)
        if result.guarded_code is None and any(not is_for(backend, e.backend) for e in entries):
            result.apply_to_code = False  # what others compiled of it must stay in use
        return result

    with mock.patch.object(private.CatchErrorsWrapper, "__call__", call):
        yield


def is_for(backend: Callable[..., Any], other: Any) -> bool:
    """Whether what Dynamo knows as a backend is this one."""
    return getattr(other, "compiler_fn", other) is backend


def _innermost(callback: Any) -> Any:
    while hasattr(callback, "_torchdynamo_orig_backend"):
        callback = callback._torchdynamo_orig_backend
    return callback


@contextmanager
def module_restored(function: Any) -> Iterator[None]:
    """Take from a module what ``torch.compile`` puts there, and what ``module.compile()`` did.

    The latter would compile the call inside of the call, with a backend of its own.
    """
    if not isinstance(function, torch.nn.Module):
        yield
        return
    names = ("_is_torch_compile", "_compiled_call_impl")
    had = {
        name: vars(function)[name] for name in names if name in getattr(function, "__dict__", {})
    }
    if had.get("_compiled_call_impl") is not None:
        function._compiled_call_impl = None
    try:
        yield
    finally:
        for name in names:
            if name in had:
                setattr(function, name, had[name])
            elif name in getattr(function, "__dict__", {}):
                delattr(function, name)


def forget(code: CodeType, backend: Callable[..., Any]) -> None:
    """Drop what was compiled of a function for a backend, and the decision to leave it out."""
    entries = private.cache_entries(code)
    ours = [entry for entry in entries if is_for(backend, entry.backend)]
    if len(ours) == len(entries):
        private.reset_code(code)  # with the decision not to compile it, if there was one
        return
    for entry in ours:
        state = entry.guard_manager.extra_state
        if state is not None:
            state.invalidate(entry, private.DeletedGuardManager("explained"))


@dataclass(frozen=True)
class Failure:
    """Why Dynamo left a frame to Python, as it recorded that: its text, and the line it was at."""

    text: str
    file: str
    line: int


@contextmanager
def reported() -> Iterator[tuple[list[Any], list[Failure]]]:
    """Yields two lists, filled at the end: graph breaks, and failures to compile a whole frame."""
    breaks: list[Any] = []
    failures: list[Failure] = []
    known = len(private.graph_break_reasons)
    earlier = {id(metrics): metrics for metrics in private.get_compilation_metrics()}
    try:
        yield breaks, failures
    finally:
        breaks += [r for r in private.graph_break_reasons[known:] if r.graph_break]
        for metrics in private.get_compilation_metrics():
            if id(metrics) not in earlier and (reason := getattr(metrics, "fail_reason", None)):
                file = getattr(metrics, "fail_user_frame_filename", None) or metrics.co_filename
                line = getattr(metrics, "fail_user_frame_lineno", None) or metrics.co_firstlineno
                failures.append(Failure(reason, file or "", line or 0))


def is_left_out(frame: Any) -> bool:
    """Whether Dynamo has a rule to leave a frame to Python, such as for the file it stands in."""
    asked = private.is_skipped
    # Before PyTorch 2.13 the rules may know a code object alone.
    known = {"frame": frame} if "frame" in inspect.signature(asked).parameters else {}
    return bool(asked(frame.f_code, **known))


def is_written(code: CodeType) -> bool:
    """Whether Dynamo wrote this code, in place of a function's own."""
    return code in private.output_codes


def generic_hints() -> set[str]:
    """What Dynamo says under many a graph break, whatever its cause."""
    try:
        hints = vars(private.graph_break_hints)
    except MissingNameError:
        return set()
    texts = [value for value in hints.values() if isinstance(value, list)]
    return {hint.strip() for text in texts for hint in text}


def real_stack(error: BaseException) -> list[tuple[str, int]]:
    """Where in the function Dynamo was when it raised an error; empty where it does not say."""
    stack = getattr(error, "real_stack", None) or ()
    return [(frame.filename, frame.lineno) for frame in stack]


def compilations() -> list[Any]:
    """Dynamo's records of what it compiled lately."""
    return list(private.get_compilation_metrics())


def graphs_compiled() -> int:
    """How many graphs Dynamo has handed to a backend."""
    return int(private.counters["stats"]["unique_graphs"])


def breaks_so_far() -> int:
    """How many graph breaks Dynamo has met."""
    # counters["graph_break"] leaves out the breaks at an `if` on a tensor.
    return len(private.graph_break_reasons)
