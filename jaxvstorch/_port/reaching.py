"""The tensors that a program may still read, by the variables and attributes that hold them."""

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np
import torch

from jaxvstorch._frameworks.installed import is_installed
from jaxvstorch._port.liveness import is_read_later
from jaxvstorch._port.locations import is_of_port_call, is_outside_program

_BUDGET = 10_000  # values that are looked at, the nearest first
_ITEMS = 500  # of one list or dictionary
_DEPTH = 6
_DULL = ("jax", "jaxlib", "jaxvstorch", "builtins")  # their objects hold none of PyTorch's arrays
_PLAIN = (int, float, complex, str, bytes, torch.dtype, torch.device, type(None))


@dataclass(frozen=True)
class Slot:
    """What can be assigned to: a variable, an attribute, an item."""

    holder: int
    key: Any


@dataclass(frozen=True)
class Reached:
    """A value that the program may still read."""

    path: str
    slot: Slot
    value: Any
    here: bool  # whether the calling function itself can assign to the path
    root: str  # the variable that the path begins with


def slot_of(node: ast.expr, frame: FrameType) -> Slot | None:
    """What an expression names, if it can be assigned to."""
    try:
        match node:
            case ast.Name(name):
                return _slot_of_variable(name, frame)
            case ast.Attribute(value=value, attr=attr):
                return Slot(id(value_of(value, frame)), attr)
            case ast.Subscript(value=value, slice=index):
                held = value_of(value, frame)
                is_tensor = isinstance(held, torch.Tensor)
                return None if is_tensor else Slot(id(held), value_of(index, frame))
    except LookupError:
        pass
    return None


def _slot_of_variable(name: str, frame: FrameType) -> Slot:
    if name in (*frame.f_code.co_cellvars, *frame.f_code.co_freevars):
        return Slot(0, name)  # the variable of a function and of those inside it
    return Slot(id(_namespace(name, frame)[1]), name)


def _namespace(name: str, frame: FrameType) -> tuple[Mapping[str, Any], object]:
    """The variables that a name is among, and what holds them."""
    variables = frame.f_locals
    if name in variables:
        return variables, frame.f_globals if variables is frame.f_globals else frame
    return frame.f_globals, frame.f_globals


def value_of(node: ast.expr, frame: FrameType) -> Any:
    """The value of a name, or of attributes and items of one, without running anything.

    Raises:
        LookupError: it is anything else, or there is none.
    """
    match node:
        case ast.Constant(value):
            return value
        case ast.Name(name):
            return _namespace(name, frame)[0][name]
        case ast.Attribute(value=of, attr=attr):
            held = value_of(of, frame)
            if isinstance(held, torch.nn.Module):
                return getattr(held, attr, None)
            return getattr(held, "__dict__", {})[attr]
        case ast.Subscript(value=of, slice=index):
            held = value_of(of, frame)
            if type(held) in (list, tuple, dict):
                return held[value_of(index, frame)]
    raise LookupError


def reachable(frame: FrameType) -> Iterator[Reached]:
    """The tensors and NumPy arrays that the functions on the stack may still read."""
    pending: deque[tuple[Reached, int]] = deque()
    for current in _program_frames(frame):
        for reached in _variables(current, frame):
            pending.append((reached, 0))
    seen: set[int] = set()
    for _ in range(_BUDGET):
        if not pending:
            return
        reached, depth = pending.popleft()
        value = reached.value
        if isinstance(value, torch.Tensor | np.ndarray):
            yield reached
        if id(value) in seen or depth > _DEPTH:
            continue
        seen.add(id(value))
        for path, key, held in islice(_parts(value), _ITEMS):
            if isinstance(held, _PLAIN):
                continue
            slot = Slot(id(value), key)
            inner = replace(reached, path=reached.path + path, slot=slot, value=held)
            pending.append((inner, depth + 1))


def _program_frames(frame: FrameType) -> list[FrameType]:
    """The frames from the calling one to the program's outermost."""
    frames: list[FrameType] = []
    current: FrameType | None = frame
    while current is not None:
        if is_of_port_call(current) or not is_outside_program(current):
            frames.append(current)
        current = current.f_back
    while len(frames) > 1 and is_installed(frames[-1].f_code.co_filename):  # such as pytest's
        del frames[-1]
    return frames


def _variables(current: FrameType, calling: FrameType) -> Iterator[Reached]:
    """A frame's variables that are read later, and the globals if it is a function's."""
    variables, code = current.f_locals, current.f_code
    if is_of_port_call(current):
        given = [*variables.get("args", ()), *variables.get("kwargs", {}).values()]
        for number, value in enumerate(given, start=1):
            slot = Slot(id(variables), number)
            path = f"argument {number} of port()"
            yield Reached(path, slot, value, False, path)
        return
    here, at_top = current is calling, variables is current.f_globals
    for name, value in list(variables.items()):
        if not _is_dull(value) and is_read_later(current, name):
            path = name if here or at_top else f"{code.co_name}()'s {name}"
            if at_top and not here and name in calling.f_code.co_varnames:
                path = f"the global {name}"
            yield Reached(path, _slot_of_variable(name, current), value, here, path)
    if at_top:
        return
    if "locals" not in code.co_names and isinstance(variables, dict):
        variables.clear()  # before Python 3.13 it would keep the values alive
    if not _is_run_by(current.f_globals, current):
        for name, value in list(current.f_globals.items()):
            if not _is_dull(value):
                yield Reached(name, Slot(id(current.f_globals), name), value, here, name)


def _is_run_by(names: dict[str, Any], frame: FrameType) -> bool:
    """Whether the file with these globals is being run further up the stack."""
    current = frame.f_back
    while current is not None and current.f_locals is not names:
        current = current.f_back
    return current is not None


def _parts(value: Any) -> Iterator[tuple[str, Any, Any]]:
    """What a value holds: each with how it is written, its key, and itself."""
    if isinstance(value, torch.Tensor):
        if value.is_leaf and value.grad is not None:
            yield ".grad", "grad", value.grad
    elif type(value) is dict:
        for key, held in value.items():
            yield f"[{key!r}]" if isinstance(key, str | int) else "[…]", key, held
    elif isinstance(value, list | tuple | deque):
        yield from ((f"[{i}]", i, held) for i, held in enumerate(value))
    elif isinstance(value, torch.nn.Module):
        for name, held in vars(value).items():
            if name in ("_parameters", "_buffers", "_modules"):
                yield from ((f".{key}", key, part) for key, part in held.items())
            elif not name.startswith("_"):
                yield f".{name}", name, held
    elif not _is_dull(value) and hasattr(value, "__dict__"):
        yield from ((f".{name}", name, held) for name, held in vars(value).items())


def _is_dull(value: Any) -> bool:
    """Whether a value holds no tensors of the program: a number, a function, an optimizer."""
    if isinstance(value, torch.Tensor | np.ndarray | torch.nn.Module | dict | list | tuple | deque):
        return False
    if isinstance(value, torch.optim.Optimizer | type) or not hasattr(value, "__dict__"):
        return True  # an optimizer's weights are those of a module
    if callable(value) and hasattr(value, "__code__"):
        return True
    module = type(value).__module__
    return module.startswith("torch.optim.") or module.partition(".")[0] in _DULL
