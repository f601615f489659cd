"""Where in the source a call of PyTorch stands."""

import os
import sys
from itertools import islice
from pathlib import Path
from types import FrameType

import torch

from jaxvstorch._port.at_home import is_ours
from jaxvstorch._port.report import Place

# With a separator at the end: torchvision, which lies beside it, is not PyTorch.
_TORCH = os.path.join(os.path.dirname(torch.__file__), "")
_API = str(Path(__file__).with_name("api.py"))  # calls the function that `port` was given
_DISPATCH = str(Path(_TORCH, "_jit_internal.py"))  # chooses between two functions by an argument
_FUNCTIONAL = str(Path(_TORCH, "functional.py"))
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
OURS = tuple(os.path.join(_PACKAGE, name, "") for name in ("_port", "_frameworks"))


def calling(depth: int) -> FrameType:
    """The frame that called.

    Args:
        depth: how many frames lie between this function's caller and the call.
    """
    frame = sys._getframe(depth + 1)
    # A function that PyTorch writes in Python asks for itself to be replaced.
    if frame.f_code.co_name == "handle_torch_function" and frame.f_back and frame.f_back.f_back:
        return frame.f_back.f_back
    return frame


def called_from(frame: FrameType | None) -> Place | None:
    """The place that a frame called from, or None where that is PyTorch's own code."""
    while frame is not None and _chooses(frame):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename == _API and frame.f_back:
        return _of_port(frame.f_back)
    return None if frame is None else place(frame)


def _chooses(frame: FrameType) -> bool:
    """Whether a frame of PyTorch only chooses, by its arguments, what a function returns."""
    code = frame.f_code
    return code.co_filename == _DISPATCH or (
        code.co_filename == _FUNCTIONAL and "_return_" in code.co_name  # of unique
    )


def outer_caller() -> Place | None:
    """The nearest place on the stack that is neither PyTorch's nor ours."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == _API and frame.f_back:
            return _of_port(frame.f_back)
        if (found := place(frame)) is not None:
            return found
        frame = frame.f_back
    return None


def _of_port(frame: FrameType) -> Place:
    """The line that gave ``port`` a function of PyTorch's own, and not to be read as its call."""
    return Place(frame.f_code.co_filename, frame.f_lineno)


def place(frame: FrameType) -> Place | None:
    """A frame's place; None in PyTorch's own code and in what Python makes up."""
    file = frame.f_code.co_filename
    if file.startswith((_TORCH, "<frozen", *OURS)) or is_ours(frame.f_code):
        return None
    positions = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    line, end_line, column, end_column = positions or (None, None, None, None)
    return Place(file, frame.f_lineno if line is None else line, end_line, column, end_column)
