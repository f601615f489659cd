"""What a frame of a running program shows."""

from pathlib import Path
from types import FrameType

import torch

from jaxvstorch._port.locations import PORT_FOLDERS

_BETWEEN = (str(Path(torch.__file__).parent), *PORT_FOLDERS)


def constructed(frame: FrameType) -> torch.nn.Module | None:
    """The module whose ``__init__`` a frame runs."""
    code = frame.f_code
    if code.co_name != "__init__" or not code.co_argcount:
        return None
    first = frame.f_locals.get(code.co_varnames[0])
    return first if isinstance(first, torch.nn.Module) else None


def maker_of(module: torch.nn.Module, frame: FrameType) -> FrameType | None:
    """The frame that makes a module whose ``__init__`` a frame runs.

    Functions around the constructor, which have the module as their first argument, make nothing:
    ``torch.compile`` puts one around that of ``nn.Module``.
    """
    caller = frame.f_back
    while caller is not None and _first_argument(caller) is module:
        caller = caller.f_back
    return caller


def _first_argument(frame: FrameType) -> object:
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def outside_of_torch(frame: FrameType | None) -> FrameType | None:
    """The frame that calls PyTorch, of those below a frame of PyTorch's."""
    while frame is not None and frame.f_code.co_filename.startswith(_BETWEEN):
        frame = frame.f_back
    return frame


def is_of_module(frame: FrameType) -> bool:
    """Whether a frame runs a method of a module."""
    return isinstance(frame.f_locals.get("self"), torch.nn.Module)


def is_in_constructor(frame: FrameType | None) -> bool:
    """Whether a frame runs inside a module's ``__init__``."""
    while frame is not None:
        if frame.f_code.co_name == "__init__" and is_of_module(frame):
            return True
        frame = frame.f_back
    return False


def function_and_arguments(frame: FrameType) -> tuple[str, tuple[str, ...]]:
    """The name of the function that a frame runs, and those of its arguments."""
    code = frame.f_code
    return code.co_name, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def argument_types(frame: FrameType) -> dict[str, str]:
    """The types of the arguments of the function that a frame runs."""
    code = frame.f_code
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    return {name: type(frame.f_locals[name]).__name__ for name in names}
