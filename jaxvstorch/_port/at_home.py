"""A call that we make for the program, at the program's own line.

A warning names the line that called, by the frame above: PyTorch's would name a line of ours, and
Python's filters, which go by module, would take them for ours.
"""

from collections.abc import Callable
from functools import cache
from types import CodeType, FrameType, FunctionType
from typing import Any

_NAME = "called by port"


def called(frame: FrameType, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function as if this frame did."""
    code = _code(frame.f_code.co_filename, frame.f_lineno)
    return FunctionType(code, frame.f_globals)(function, args, kwargs)


def is_ours(code: CodeType) -> bool:
    """Whether this is the code that makes such a call."""
    return code.co_name == _NAME


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


@cache
def _code(file: str, line: int) -> CodeType:
    first = line - 1  # the line of its `def`
    return _call.__code__.replace(co_filename=file, co_firstlineno=first, co_name=_NAME)
