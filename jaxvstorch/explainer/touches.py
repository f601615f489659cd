"""Dealings of a function with the world outside, seen while its own bytecode runs."""

import builtins
import datetime
import dis
import os
import random
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from jaxvstorch.explainer import statements
from jaxvstorch.explainer.operations import Place


@dataclass(frozen=True)
class Touch:
    """One dealing with the world outside.

    Attributes:
        kind: ``"read"``, ``"written"``, ``"changed"``, ``"changed copy"``, ``"changed in place"``,
            ``"leaked"``, ``"output"``, ``"input"``, ``"clock"``, ``"random"``, ``"environment"``,
            ``"getenv"`` or ``"file"``; ``findings`` says what each means.
        name: of the variable or function.
        place: the line.
        value: what was read; ``None`` for the other kinds.
    """

    kind: str
    name: str
    place: Place
    value: Any = field(default=None, compare=False)


# Functions that deal with the world outside, and how.
_DEALINGS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("output", (builtins.print,)),
    ("input", (builtins.input,)),
    ("file", (builtins.open,)),
    ("environment", (os.environ,)),
    ("getenv", (os.getenv,)),
    ("clock", (time.time, time.time_ns, time.perf_counter, time.perf_counter_ns, time.monotonic,
               time.process_time, datetime.datetime.now, datetime.date.today)),
)  # fmt: skip
_RANDOM = {id(draw.__self__) for draw in (random.random, np.random.random)}  # type: ignore[attr-defined]


def dealing(value: Any) -> str | None:
    """How calling or reading a value deals with the world; ``None`` where it does not."""
    is_method = isinstance(value, types.BuiltinMethodType | types.MethodType)
    for kind, values in _DEALINGS:
        # Methods are made anew each time that they are asked for; nothing else is compared.
        if any(value is other or (is_method and value == other) for other in values):
            return kind
    owner = id(getattr(value, "__self__", None))
    return "random" if owner in _RANDOM else None


def is_code(value: Any) -> bool:
    """Whether a global's value is part of the program rather than data: a function, say."""
    kinds = (ModuleType, type, types.GenericAlias, np.ufunc, np.dtype)
    is_type = isinstance(value, kinds) or type(value).__module__ == "typing"
    return is_type or callable(value) or value is None


@dataclass(frozen=True)
class _Instruction:
    name: str
    argument: Any
    line: int


# Weak, so that a function that was explained can go.
_read_before: WeakKeyDictionary[CodeType, dict[int, _Instruction]] = WeakKeyDictionary()


def instructions(code: CodeType) -> dict[int, _Instruction]:
    """A function's instructions by their offset, each with its line."""
    known = _read_before.get(code)
    if known is not None:
        return known
    found = _read_before[code] = {}
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions else None
        found[instruction.offset] = _Instruction(
            instruction.opname, instruction.argval, line or code.co_firstlineno
        )
    return found


_IMMUTABLE = (bool, int, float, complex, str, bytes, tuple, frozenset)


def _assignments(file: str, name: str) -> int:
    """How often a file assigns a variable that inner functions share, beyond its being given."""
    text = statements.read(file)
    return text.assigned[name] if text else 0


_READS = ("LOAD_GLOBAL", "LOAD_NAME")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL")


class Bytecode:
    """Follows the instructions of own code one by one, and keeps what they touch outside."""

    def __init__(self, global_reads: bool = True) -> None:
        """Args: whether to keep what is read from globals, and not from closures only."""
        self._global_reads = global_reads
        self.touches: dict[tuple[str, str, Place], Touch] = {}
        self._chain: Any = None  # the module or class that the last instruction loaded
        self._name = ""
        self._codes: set[CodeType] = set()
        self._cells: set[str] = set()  # variables that functions of this call share

    def opcode(self, frame: FrameType) -> None:
        """Look at the instruction that is about to run."""
        code = frame.f_code
        if code not in self._codes:
            self._codes.add(code)
            self._cells.update(f"{code.co_filename}:{name}" for name in code.co_cellvars)
        instruction = instructions(code).get(frame.f_lasti)
        if instruction is None:
            return
        self.instruction(instruction, code, frame.f_globals, lambda: _variables(frame))

    def instruction(
        self, instruction: _Instruction, code: CodeType, names: dict[str, Any], variables: Any
    ) -> None:
        """Look at one instruction of a function with these globals and closure variables."""
        place = (code.co_filename, instruction.line)
        chain, self._chain = self._chain, None
        if instruction.name in _READS:
            value = names.get(instruction.argument, getattr(builtins, instruction.argument, None))
            self._read(str(instruction.argument), value, place)
        elif instruction.name in _ATTRIBUTES and chain is not None:
            value = getattr(chain, instruction.argument, None)
            self._follow(f"{self._name}.{instruction.argument}", value, place)
        elif instruction.name in _WRITES:
            self._add(Touch("written", f"global {instruction.argument}", place))
        elif instruction.name in ("LOAD_DEREF", "STORE_DEREF"):
            self._closure(instruction, code, place, variables)

    def _closure(
        self, instruction: _Instruction, code: CodeType, place: Place, variables: Any
    ) -> None:
        name = str(instruction.argument)
        inside = f"{code.co_filename}:{name}" in self._cells or name not in code.co_freevars
        if inside or name == "__class__":
            return
        if instruction.name == "STORE_DEREF":
            self._add(Touch("written", f"nonlocal {name}", place))
            return
        value = variables().get(name)
        is_fixed = isinstance(value, _IMMUTABLE) and _assignments(code.co_filename, name) <= 1
        if not is_fixed:  # a variable that is bound once to what cannot change never goes stale
            self._read(name, value, place, is_closure=True)

    def _read(self, name: str, value: Any, place: Place, is_closure: bool = False) -> None:
        if is_code(value):
            self._follow(name, value, place)
        elif self._global_reads or is_closure:
            self._add(Touch("read", name, place, value))

    def _follow(self, name: str, value: Any, place: Place) -> None:
        kind = dealing(value)
        if kind is not None:
            self._add(Touch(kind, name, place))
        elif isinstance(value, ModuleType | type):
            self._chain, self._name = value, name

    def _add(self, touch: Touch) -> None:
        self.touches.setdefault((touch.kind, touch.name, touch.place), touch)


def _variables(frame: FrameType) -> dict[str, Any]:
    return dict(frame.f_locals)


def read_statically(
    code: CodeType, lines: set[int], names: dict[str, Any], variables: dict[str, Any]
) -> Iterator[Touch]:
    """What the instructions on some lines of a function touch, where they are read and not run."""
    follower = Bytecode()
    for instruction in instructions(code).values():
        if instruction.line in lines:
            follower.instruction(instruction, code, names, lambda: variables)
    yield from follower.touches.values()
