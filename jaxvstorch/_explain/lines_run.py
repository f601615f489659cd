"""``lines_run``: which of a function's own lines Python runs in one call."""

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


def lines_run(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> list[str]:
    """Call a function, and return its lines that Python ran, in order.

    ``jax.jit`` runs a function's lines to trace them. ``torch.compile`` reads them, and Python runs
    Dynamo's bytecode in their place. The bytecode that calls compiled graphs belongs to the line of
    the ``def`` or of a graph break, and is not listed; what could not be put into a graph belongs
    to the line that it came from, and is listed.

    Args:
        function: what ``jax.jit`` or ``torch.compile`` returned, or a plain function.
        *args: its arguments.
        **kwargs: its keyword arguments.

    Raises:
        TypeError: ``function`` is not written in Python.
        ValueError: it is on one line, so its body cannot be told from its ``def``.

    >>> def shifted(x):
    ...     y = x + 1
    ...     return 2 * y
    >>> lines_run(shifted, 3)
    ['y = x + 1', 'return 2 * y']
    """
    original = inspect.unwrap(function)
    if not inspect.isfunction(original):
        raise TypeError(f"function must be written in Python, not {type(original).__name__}")
    source, first = inspect.getsourcelines(original)
    if len(source) == 1:
        raise ValueError(f"{original.__name__} is on one line; write its body on the lines below")
    numbers = _run(lambda: function(*args, **kwargs), original.__code__.co_filename)
    return [source[n - first].strip() for n in numbers if first < n < first + len(source)]


def _run(call: Callable[[], Any], file: str) -> list[int]:
    """Numbers of the lines of one file that Python ran during a call."""
    numbers: list[int] = []

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        code: CodeType = frame.f_code
        if code.co_filename != file:
            return None
        if event == "line" and frame.f_lineno != code.co_firstlineno:
            numbers.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return numbers
