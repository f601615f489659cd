"""A program's error as it would be without a replay."""

import os
from types import TracebackType

from jaxvstorch._port.at_home import is_ours

OURS = os.path.join(os.path.dirname(__file__), "")


def forget_ours(error: BaseException) -> None:
    """Take our frames out of an error, out of those it came from, and out of those it holds."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = _own(one.__traceback__)
        left += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            left += one.exceptions


def _own(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without our frames, which lie around the program's and between them."""
    kept: list[TracebackType] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "handle_torch_function":  # a function of PyTorch called it, to reach us
            del kept[-1:]
        elif not (code.co_filename.startswith(OURS) or is_ours(code)):
            kept.append(trace)
        trace = trace.tb_next
    for one, after in zip(kept, [*kept[1:], None], strict=True):
        one.tb_next = after
    return kept[0] if kept else None
