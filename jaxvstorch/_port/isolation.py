"""Keeps a replay out of the program's sight: its calls, hooks, warnings and tracebacks."""

import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any

from jaxvstorch._frameworks.private import torch as private

if TYPE_CHECKING:  # reading a file needs no PyTorch
    from torch.utils.hooks import RemovableHandle

_FOLDER = os.path.join(os.path.dirname(__file__), "")
_NAME = "called by port"
_JAX_LOG = logging.getLogger("jax")
_JAX_LOG.addHandler(logging.NullHandler())  # or Python prints what no handler takes


@contextmanager
def outside_program_modes() -> Iterator[None]:
    """Keep port's calls of PyTorch from the program's tensor subclasses and modes."""
    with private.DisableTorchFunction(), private.disable_current_modes():
        yield


def remove_hook(hook: "RemovableHandle") -> None:
    """Remove a hook, and what PyTorch keeps of one with keywords: torch.compile warns of it."""
    hook.remove()
    private.hooks_with_kwargs.pop(hook.id, None)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Show no warning inside the block.

    A change of the filters makes Python forget which warnings it has shown, and the program would
    get them again. So the filters stay, unless they turn warnings into errors.
    """
    if any(action == "error" for action, *_ in warnings.filters):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
        return
    shown = warnings.showwarning
    warnings.showwarning = _ignore  # type: ignore[assignment]
    try:
        yield
    finally:
        warnings.showwarning = shown


def _ignore(*_: Any) -> None:
    pass


def silence_jax() -> None:
    """Keep JAX's log from the program's handlers, from now on."""
    _JAX_LOG.propagate = False


@contextmanager
def unseen() -> Iterator[None]:
    """Show nothing of what port does inside the block: no call, warning or log."""
    before, _JAX_LOG.propagate = _JAX_LOG.propagate, False
    try:
        with without_warnings(), outside_program_modes():
            yield
    finally:
        _JAX_LOG.propagate = before


def call_from(frame: FrameType, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function as if this frame did.

    A warning names the line that called, by the frame above. PyTorch's would name a line of port,
    and Python's filters, which go by module, would take them for port's.
    """
    code = _code(frame.f_code.co_filename, frame.f_lineno)
    return FunctionType(code, frame.f_globals)(function, args, kwargs)


def is_port_call(code: CodeType) -> bool:
    """Whether this is the code with which ``call_from`` calls."""
    return code.co_name == _NAME


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


@cache
def _code(file: str, line: int) -> CodeType:
    first = line - 1  # the line of its `def`
    return _call.__code__.replace(co_filename=file, co_firstlineno=first, co_name=_NAME)


def remove_port_frames(error: BaseException) -> None:
    """Take port's frames out of an error, its causes, its contexts, and the errors of a group."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        current.__traceback__ = _program_frames(current.__traceback__)
        pending += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            pending += current.exceptions


def _program_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without port's frames, which are around and between the program's."""
    kept: list[TracebackType] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "handle_torch_function":  # a function of PyTorch called it, to reach us
            del kept[-1:]
        elif not (code.co_filename.startswith(_FOLDER) or is_port_call(code)):
            kept.append(trace)
        trace = trace.tb_next
    if not kept:  # also an error that was never raised, such as a cause
        return None
    for entry, following in zip(kept, [*kept[1:], None], strict=True):
        entry.tb_next = following
    return kept[0]
