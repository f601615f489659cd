"""Where in the source a program calls PyTorch."""

import os
import sys
from itertools import islice
from pathlib import Path
from types import FrameType

import torch

from jaxvstorch._port.filling import Span
from jaxvstorch._port.isolation import is_port_call
from jaxvstorch._port.report_data import Location

# The separator at the end keeps out torchvision, which is beside it.
_TORCH = os.path.join(os.path.dirname(torch.__file__), "")
_API = str(Path(__file__).with_name("api.py"))  # calls the function passed to `port`
_REPLAY = str(Path(__file__).with_name("replay.py"))
_DISPATCH = str(Path(_TORCH, "_jit_internal.py"))  # chooses between two functions by an argument
_FUNCTIONAL = str(Path(_TORCH, "functional.py"))
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
PORT_FOLDERS = tuple(os.path.join(_PACKAGE, name, "") for name in ("_port", "_frameworks"))


def calling_frame(depth: int) -> FrameType:
    """The frame that called.

    Args:
        depth: the number of frames between this function's caller and the call.
    """
    frame = sys._getframe(depth + 1)
    while frame.f_back:
        if frame.f_code.co_name == "handle_torch_function":
            between = 2  # PyTorch's functions in Python come through one of theirs
        elif is_port_call(frame.f_code):
            between = 3  # a replay inside this one calls by ``call_from``
        else:
            break
        for _ in range(between):
            frame = frame.f_back or frame
        if frame.f_code.co_filename == _REPLAY and frame.f_back:
            frame = frame.f_back  # what a mode sees goes through one function more
    return frame


def calling_location(frame: FrameType | None) -> Location | None:
    """The location of a frame's call, or None where that is PyTorch's own code."""
    while frame is not None and _only_dispatches(frame):
        frame = frame.f_back
    if frame is not None and is_of_port_call(frame) and frame.f_back:
        return _port_call(frame.f_back)
    return None if frame is None else _location(frame)


def _only_dispatches(frame: FrameType) -> bool:
    """Whether a frame of PyTorch only chooses, by its arguments, what a function returns."""
    code = frame.f_code
    return code.co_filename == _DISPATCH or (
        code.co_filename == _FUNCTIONAL
        and ("_return_" in code.co_name or code.co_name == "meshgrid")  # _return_: of unique
    )


def program_frame() -> FrameType | None:
    """The innermost frame on the stack outside PyTorch and port."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_outside_program(frame) and not is_of_port_call(frame):
        frame = frame.f_back
    return frame


def program_location() -> Location | None:
    """The innermost location on the stack outside PyTorch and port."""
    return calling_location(program_frame())


def is_of_port_call(frame: FrameType) -> bool:
    """Whether a frame is of ``port``, which calls the function passed to it."""
    return frame.f_code.co_filename == _API


def _port_call(frame: FrameType) -> Location:
    """The line that passed a function of PyTorch's own to ``port``, without its columns."""
    return Location(frame.f_code.co_filename, frame.f_lineno)


def span_of_call(frame: FrameType) -> Span:
    """The span of the expression that a frame runs, such as the call that it waits for."""
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    line, end_line, column, end_column = positions or (None, None, None, None)
    return line or frame.f_lineno, column or 0, end_line, end_column


def is_outside_program(frame: FrameType) -> bool:
    """Whether a frame is of PyTorch's own code, of port's, or of Python's frozen modules."""
    file = frame.f_code.co_filename
    return file.startswith((_TORCH, "<frozen", *PORT_FOLDERS)) or is_port_call(frame.f_code)


def _location(frame: FrameType) -> Location | None:
    """A frame's location, if it is of the program."""
    if is_outside_program(frame):
        return None
    file = frame.f_code.co_filename
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    line, end_line, column, end_column = positions or (None, None, None, None)
    return Location(file, frame.f_lineno if line is None else line, end_line, column, end_column)
