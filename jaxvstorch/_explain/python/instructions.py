"""The instructions of a function, each with its line."""

import dis
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

IMPORTED = "LOAD_IMPORTED"  # not Python's own: the load of a name that the function imports


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name, what it is about, and its line."""

    name: str
    argument: Any
    line: int


# Weak, so that an explained function can be freed.
_read_before: WeakKeyDictionary[CodeType, dict[int, Instruction]] = WeakKeyDictionary()


def instructions(code: CodeType) -> dict[int, Instruction]:
    """A function's instructions by their offset."""
    known = _read_before.get(code)
    if known is not None:
        return known
    by_offset = {}
    for instruction in dis.get_instructions(code):
        line = instruction.positions.lineno if instruction.positions else None
        by_offset[instruction.offset] = Instruction(
            instruction.opname, instruction.argval, line or code.co_firstlineno
        )
    imported = set(_imported(list(by_offset.values())))
    if imported:
        by_offset = {offset: _marked(step, imported) for offset, step in by_offset.items()}
    _read_before[code] = by_offset
    return by_offset


def local_loaded(step: Instruction) -> str:
    """The function's variable whose value an instruction leaves on top of the stack."""
    is_load = "LOAD_FAST" in step.name or step.name in ("LOAD_DEREF", IMPORTED)
    return _names(step)[-1] if is_load else ""


def _imported(steps: list[Instruction]) -> Iterator[str]:
    """The variables that a function's own imports are kept in."""
    for step, following in itertools.pairwise(steps):
        if step.name.startswith("IMPORT_") and following.name.startswith("STORE_FAST"):
            yield _names(following)[0]


def _marked(step: Instruction, imported: set[str]) -> Instruction:
    is_load = step.name.startswith(("LOAD_FAST", "STORE_FAST_LOAD_FAST"))
    if is_load and _names(step)[-1] in imported:
        return replace(step, name=IMPORTED, argument=_names(step)[-1])
    return step


def _names(step: Instruction) -> tuple[str, ...]:
    """From Python 3.13 on, an instruction may store or load two variables."""
    return step.argument if isinstance(step.argument, tuple) else (step.argument,)
