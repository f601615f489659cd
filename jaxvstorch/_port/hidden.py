"""The calls that PyTorch hides from what watches calls, and that a port does another way.

They are collectives, parallel models, loss scaling, autocast, hooks of modules, gradients of one's
own, and compilers. Each is wrapped while a program is watched.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from types import FrameType, FunctionType
from typing import Any, NamedTuple

import torch

from jaxvstorch._port.isolation import call_from
from jaxvstorch._port.locations import calling_frame
from jaxvstorch._port.map.rows import meaning, rows

_SCALER = "torch.amp.GradScaler"
_FUNCTION = "torch.autograd.Function"
_SCRIPTS = ("torch.jit.script", "torch.jit.trace")
_COMPILERS = (*_SCRIPTS, "torch.compile")
SPAWN = "torch.multiprocessing.spawn"


class _Hidden(NamedTuple):
    """A function that is wrapped.

    Attributes:
        owner: the module or class that has it.
        attribute: its name there.
        row: the map's name of what the report says.
    """

    owner: Any
    attribute: str
    row: str


def note_of(row: str, name: str) -> str:
    """What the report says of a hidden call.

    Args:
        row: the map's name for it.
        name: of the call.
    """
    instead = meaning(rows()[row]).option("instead") or ""
    if row == _FUNCTION:
        return f"{name.rpartition('.')[0]} has its own gradient: {instead}"
    if row in _SCRIPTS:
        return f"{instead}; its calls are not seen, but PYTORCH_JIT=0 runs it as Python"
    return instead


@contextmanager
def watching(
    notice: Callable[[str, str, FrameType], None],
    around_spawned: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Iterator[None]:
    """Notice the hidden calls of the block.

    Args:
        notice: gets the row, the call's name and the calling frame of each call.
        around_spawned: makes what runs in processes that ``torch.multiprocessing.spawn`` starts.
    """
    replaced = []
    try:
        for hidden in _hidden():
            before = vars(hidden.owner)[hidden.attribute]
            after = _wrapped(hidden, before, notice, around_spawned)
            replaced.append((hidden, before))
            setattr(hidden.owner, hidden.attribute, after)
        yield
    finally:
        for hidden, before in reversed(replaced):
            setattr(hidden.owner, hidden.attribute, before)


@cache
def _hidden() -> tuple[_Hidden, ...]:
    scaler, parallel = torch.amp.GradScaler, torch.nn.parallel
    entries = [
        _Hidden(torch.autograd.Function, "apply", _FUNCTION),
        _Hidden(torch.amp.autocast, "__init__", "torch.amp.autocast"),
        *(_Hidden(scaler, name, _SCALER)
          for name in ("__init__", "scale", "unscale_", "step", "update")),
        *(_Hidden(parallel.DistributedDataParallel, attribute, f"torch.nn.parallel.{name}")
          for attribute, name in (("__init__", "DistributedDataParallel"),
                                  ("no_sync", "DistributedDataParallel.no_sync"))),
        _Hidden(torch.nn.DataParallel, "__init__", "torch.nn.DataParallel"),
    ]  # fmt: skip
    owners = {"torch.distributed": torch.distributed, "Module": torch.nn.Module, "torch": torch,
              "torch.jit": torch.jit, "torch.multiprocessing": torch.multiprocessing}  # fmt: skip
    for name in rows():
        owner, _, attribute = name.rpartition(".")
        is_hook = owner == "Module" and attribute.startswith("register_") and "hook" in attribute
        if (
            (owner == "torch.distributed" or is_hook or name in (*_COMPILERS, SPAWN))
            and isinstance(vars(owners[owner]).get(attribute), FunctionType)
            and meaning(rows()[name]).expression is None
        ):
            entries.append(_Hidden(owners[owner], attribute, name))
    return tuple(entries)


def _wrapped(hidden: _Hidden, before: Any, notice: Any, around_spawned: Any) -> Any:
    function = before.__func__ if isinstance(before, classmethod) else before
    constructs = hidden.attribute == "__init__"

    @wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        frame = calling_frame(1)
        outer = _constructing(frame) if constructs else frame
        notice(hidden.row, _name(hidden, args), outer)
        if hidden.row == SPAWN and args:
            args = (around_spawned(args[0]), *args[1:])
        if hidden.row == "torch.jit.script":  # it looks up names in the frame that called it
            kwargs["_frames_up"] = kwargs.get("_frames_up", 0) + 1
            return function(*args, **kwargs)
        return call_from(frame, function, args, kwargs)

    return classmethod(watched) if isinstance(before, classmethod) else watched


def _constructing(frame: FrameType) -> FrameType:
    """The frame that makes an object, where PyTorch derives one class from another."""
    while frame.f_back is not None:
        module = frame.f_globals.get("__name__", "").partition(".")[0]
        derived = module == "torch" and frame.f_code.co_name == "__init__"
        if not derived and module not in ("typing_extensions", "warnings"):  # of a deprecated one
            break
        frame = frame.f_back
    return frame


def _name(hidden: _Hidden, args: Any) -> str:
    """The name that the report shows."""
    if hidden.row == _FUNCTION:
        return f"{args[0].__name__}.apply"
    is_method = hidden.row == _SCALER and hidden.attribute != "__init__"
    return f"{hidden.row}.{hidden.attribute}" if is_method else hidden.row
