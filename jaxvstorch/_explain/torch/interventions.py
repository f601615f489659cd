"""How ``explain`` makes Dynamo behave differently while it watches, and undoes that."""

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from types import CodeType, FrameType
from typing import Any
from unittest import mock

import torch

from jaxvstorch._explain.python import statements
from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import torch as private


@contextmanager
def lines_traced(on_line: Callable[[Any, CodeType, int], None]) -> Iterator[None]:
    """Call ``on_line(translator, code, line)`` for each line that Dynamo begins to read.

    Operations then also remember their lines in ``torch.nn``, which Dynamo leaves out.
    """
    original = private.InstructionTranslator.starts_line

    def starts_line(self: Any, lineno: int) -> None:
        between = _is_between_lines(self.current_instruction, lineno, self.f_code.co_filename)
        if self.lineno != lineno and not between:
            on_line(self, self.f_code, lineno)
        original(self, lineno)

    with (
        mock.patch.object(private.InstructionTranslator, "starts_line", starts_line),
        mock.patch.object(private.InstructionTranslator, "is_co_filename_from_nn_modules", _never),
    ):
        yield


def _never(self: Any) -> bool:
    return False


def _is_between_lines(instruction: Any, line: int, file: str) -> bool:
    """Whether an instruction has the line before it but does not belong to that line.

    Jumps back to a loop's head do, unless they are a ``continue``, and the instructions that Python
    adds when an error is caught.
    """
    positions = getattr(instruction, "positions", None)
    if positions is not None and positions.lineno is None:
        return True
    if str(instruction.opname).startswith("JUMP_BACKWARD"):
        parsed = statements.read(file)
        return parsed is None or line not in parsed.continue_lines
    return str(instruction.opname).startswith("PUSH_EXC_INFO")


def leave_alone(*functions: Any) -> None:
    """Keep Dynamo from compiling these functions and what they call.

    PyTorch 2.10 compiles trace functions too, and under ``fullgraph=True`` fails where it cannot.
    """
    skip = private.FrameAction.SKIP
    strategy = private.FrameExecStrategy(skip, skip)
    for function in functions:
        private.set_code_exec_strategy(function.__code__, strategy)


def without_limits() -> AbstractContextManager[None]:
    """A block in which Dynamo compiles a function any number of times; the caller holds its lock.

    ``torch.compile(isolate_recompiles=True)`` would leave the function's limit alone too, but it
    counts what other threads compile at the same time as its own (seen in PyTorch 2.13.0).
    """
    limits = {"recompile_limit": _MANY, "accumulated_recompile_limit": _MANY}
    patched: AbstractContextManager[None] = private.dynamo_config.patch(limits)
    return patched


_MANY = 1_000_000


@contextmanager
def counts_restored() -> Iterator[None]:
    """Restore Dynamo's process-wide counts after the block; the caller holds its lock."""
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
def around_each_frame(
    backend: Callable[..., Any], frame: Callable[[Any, FrameType], AbstractContextManager[Any]]
) -> Iterator[None]:
    """Enter ``frame(it, its caller)`` around each frame that Dynamo compiles for a backend.

    What it yields gets the reason for which Dynamo leaves the frame to Python, as ``left_because``;
    PyTorch names none before 2.13. Dynamo's lock is held then, so that no other thread compiles.
    """
    original = private.CatchErrorsWrapper.__call__

    def call(self: Any, its_frame: Any, *rest: Any) -> Any:
        if not is_for(backend, innermost(self)):
            return original(self, its_frame, *rest)
        with private.compile_lock, frame(its_frame, sys._getframe(1)) as record:
            result = original(self, its_frame, *rest)
            record.left_because = getattr(result, "skip_reason", None) or ""
        entries = private.cache_entries(its_frame.f_code)
        if result.guarded_code is None and any(not is_for(backend, e.backend) for e in entries):
            result.apply_to_code = False  # programs that others compiled of it must stay in use
        return result

    # Dynamo looks past its own file's functions for one that is disabled without what it calls.
    call.__code__ = call.__code__.replace(co_filename=original.__code__.co_filename)
    with mock.patch.object(private.CatchErrorsWrapper, "__call__", call):
        yield


def is_for(backend: Callable[..., Any], other: Any) -> bool:
    """Whether a backend, as Dynamo holds it, is this one."""
    return getattr(other, "compiler_fn", other) is backend


def innermost(callback: Any) -> Any:
    """The backend inside Dynamo's wrapper."""
    while hasattr(callback, "_torchdynamo_orig_backend"):
        callback = callback._torchdynamo_orig_backend
    return callback


@contextmanager
def module_restored(function: Any) -> Iterator[None]:
    """Remove what ``torch.compile`` and ``module.compile()`` put into a module.

    The latter would compile the call inside the call, with a backend of its own.
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
    """Drop a function's programs for a backend, and the decision to leave it out."""
    entries = private.cache_entries(code)
    ours = [entry for entry in entries if is_for(backend, entry.backend)]
    if len(ours) == len(entries):
        private.reset_code(code)  # with the decision not to compile it, if there was one
        return
    for entry in ours:
        state = entry.guard_manager.extra_state
        if state is not None:
            state.invalidate(entry, private.DeletedGuardManager("explained"))


@contextmanager
def breaks_silenced() -> Iterator[None]:
    """Suppress warnings of a graph break, and the hint about ``.item()`` that Dynamo prints once.

    The reader's own first call still prints it.
    """
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", module=r"torch\._dynamo")
        with suppress(MissingNameError):
            patched = mock.patch.object(
                private.TensorVariable, _HINT_METHOD, staticmethod(_do_nothing)
            )
            with suppress(AttributeError):  # this version has no such method
                stack.enter_context(patched)
        yield


_HINT_METHOD = "_warn_capture_scalar_outputs"


def _do_nothing() -> None:
    pass
