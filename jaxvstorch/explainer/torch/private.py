"""The parts of PyTorch that ``explain`` needs and that PyTorch does not promise to keep.

``proven`` names the versions that they were seen to work on.
"""

import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any
from unittest import mock

import torch
from torch._C._dynamo import eval_frame
from torch._dynamo import bytecode_transformation, convert_frame, pgo
from torch._dynamo import eval_frame as dynamo_eval_frame
from torch._dynamo import utils as dynamo
from torch._dynamo.guards import DeletedGuardManagerWrapper
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._guards import CompileContext, TracingContext


@contextmanager
def lines_traced(tell: Callable[[Any, CodeType, int], None]) -> Iterator[None]:
    """Call ``tell(translator, code, line)`` for each line that Dynamo begins to read.

    Meanwhile operations also remember their lines in ``torch.nn``, which Dynamo leaves out.
    """
    original = InstructionTranslatorBase.starts_line

    def starts_line(self: Any, lineno: int) -> None:
        if self.lineno != lineno and not _is_between_lines(self.current_instruction):
            tell(self, self.f_code, lineno)
        original(self, lineno)

    with (
        mock.patch.object(InstructionTranslatorBase, "starts_line", starts_line),
        mock.patch.object(InstructionTranslatorBase, "is_co_filename_from_nn_modules", _no),
    ):
        yield


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
    skip = eval_frame._FrameAction.SKIP
    strategy = eval_frame._FrameExecStrategy(skip, skip)
    for function in functions:
        eval_frame.set_code_exec_strategy(function.__code__, strategy)


def attempt() -> tuple[Any, int]:
    """What is being compiled now, and for the how manieth time Dynamo tries."""
    trace_id = CompileContext.current_trace_id()
    return (None, 0) if trace_id is None else (trace_id.compile_id, trace_id.attempt)


def guards() -> set[str]:
    """What is guarded so far of what is being compiled now, by more than its type."""
    context = TracingContext.try_get()
    found = context.guards_context.dynamo_guards if context else ()
    return {guard.name for guard in found if guard.create_fn_name() not in _LOOSE}


_LOOSE = {"TYPE_MATCH", "DUPLICATE_INPUT", "WEAKREF_ALIVE"}


def options(compiled: Any) -> dict[str, Any]:
    """The options that a compiled function or module was made with, but for its backend."""
    context = _context(compiled)
    whole = getattr(context, "fullgraph", getattr(context, "nopython", False))
    found = {"fullgraph": bool(whole), "dynamic": getattr(context, "_dynamic", None)}
    # From PyTorch 2.13 on, what is compiled here does not count towards the function's limit.
    if "isolate_recompiles" in inspect.signature(torch.compile).parameters:
        found["isolate_recompiles"] = True
    return found


def backend(compiled: Any) -> tuple[str, dict[str, Any]]:
    """The name of the backend of a compiled function or module, and Inductor's own options."""
    callback = getattr(_context(compiled), "callback", None)
    if callback is None:
        return "inductor", {}
    inner: Any = callback
    while hasattr(inner, "_torchdynamo_orig_backend"):
        inner = inner._torchdynamo_orig_backend
    name = getattr(inner, "compiler_name", getattr(inner, "__name__", type(inner).__name__))
    return str(name), dict(getattr(inner, "config", None) or {})


def _context(compiled: Any) -> Any:
    compiled = getattr(compiled, "_compiled_call_impl", None) or compiled  # by module.compile()
    context = getattr(compiled, "dynamo_ctx", None)
    if context is None and inspect.isfunction(compiled):
        context = inspect.getclosurevars(compiled).nonlocals.get("self")
    return context if isinstance(context, dynamo_eval_frame._TorchDynamoContext) else None


@contextmanager
def undone(backend: Callable[..., Any]) -> Iterator[Callable[[CodeType, dict[str, Any]], None]]:
    """Start with Dynamo's counts and guesses empty, and put them back as they were at the end.

    Yields a function to be told of each code object that Dynamo begins to compile, and
    of its globals. What was compiled of these for ``backend`` is forgotten at the end.
    """
    codes: set[CodeType] = set()
    names: dict[int, dict[str, Any]] = {}
    first_number = next(bytecode_transformation._unique_id_counter)

    def begin(code: CodeType, its_globals: dict[str, Any]) -> None:
        codes.add(code)
        names[id(its_globals)] = its_globals

    cleaning = dynamo.CleanupManager.instance
    known = set(cleaning.values)
    with _counts_restored():
        try:
            yield begin
        finally:
            for code in codes:
                _forget(code, backend)
            backends = dynamo_eval_frame.cached_backends
            for key in [key for key, other in backends.items() if _is_for(backend, other)]:
                del backends[key]
            # The names that Dynamo put among the function's globals go with the code it wrote.
            for key in set(cleaning.values) - known:
                cleaning._remove_id(key)
            for its_globals in names.values():  # but for those of attempts that failed
                for name in [name for name in its_globals if _number(name) >= first_number]:
                    del its_globals[name]


def _number(name: str) -> int:
    """The number at the end of a name that Dynamo made for its guards; -1 for other names."""
    found = re.fullmatch(r"__builtins_dict___(\d+)", name)
    return int(found[1]) if found else -1


@contextmanager
def _counts_restored() -> Iterator[None]:
    counters = {name: Counter(counts) for name, counts in dynamo.counters.items()}
    reasons = list(dynamo.graph_break_reasons)
    metrics = list(dynamo._compilation_metrics)
    warned = set(dynamo.warn_once_cache)
    frames = convert_frame.FRAME_COUNTER, Counter(convert_frame.FRAME_COMPILE_COUNTER)
    guesses = pgo._CODE_STATE, pgo._INIT_CODE_STATE
    pgo._CODE_STATE = defaultdict(pgo.CodeState)
    dynamo.graph_break_reasons.clear()
    try:
        yield
    finally:
        pgo._CODE_STATE, pgo._INIT_CODE_STATE = guesses
        convert_frame.FRAME_COUNTER, compiled = frames
        _put_back(convert_frame.FRAME_COMPILE_COUNTER, compiled)
        _put_back(dynamo.counters, counters)
        dynamo.graph_break_reasons[:] = reasons
        dynamo.warn_once_cache.intersection_update(warned)
        dynamo._compilation_metrics.clear()
        dynamo._compilation_metrics.extend(metrics)


def _put_back(mapping: Any, before: Any) -> None:
    mapping.clear()
    mapping.update(before)


def _is_for(backend: Callable[..., Any], other: Any) -> bool:
    return getattr(other, "compiler_fn", other) is backend


@contextmanager
def module_restored(function: Any) -> Iterator[None]:
    """Take from a module what ``torch.compile`` puts there, and what ``module.compile()`` did.

    The latter would compile the call inside of the call, with a backend of its own.
    """
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


def _forget(code: CodeType, backend: Callable[..., Any]) -> None:
    entries = eval_frame._debug_get_cache_entry_list(code)
    ours = [entry for entry in entries if _is_for(backend, entry.backend)]
    if len(ours) == len(entries):
        eval_frame.reset_code(code)  # with the decision not to compile it, if there was one
        return
    for entry in ours:
        state = entry.guard_manager.extra_state
        if state is not None:
            state.invalidate(entry, DeletedGuardManagerWrapper("explained"))


def breaks() -> list[Any]:
    """The reasons of the graph breaks since ``undone`` began."""
    return [reason for reason in dynamo.graph_break_reasons if reason.graph_break]


def real_stack(error: BaseException) -> list[tuple[str, int]]:
    """Where in the function Dynamo was when it raised an error; empty where it does not say."""
    stack = getattr(error, "real_stack", None) or ()
    return [(frame.filename, frame.lineno) for frame in stack]
