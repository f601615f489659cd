"""The variables of a frame that may be read after the instruction that it is at."""

import dis
from collections.abc import Iterator
from functools import cache
from types import CodeType, FrameType

_OF_NAMES = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS",
             "STORE_NAME", "STORE_GLOBAL", "DELETE_NAME", "DELETE_GLOBAL")  # fmt: skip
_UNCONDITIONAL = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")
_JUMPS = frozenset([*dis.hasjrel, *dis.hasjabs, *getattr(dis, "hasjump", ())])


def is_read_later(frame: FrameType, name: str) -> bool:
    """Whether a frame may read a variable before it writes it again.

    Handlers of exceptions are not looked at. A function of the same file that reads a global may be
    called, and so may one that reads the variable of the function around it.
    """
    code = frame.f_code
    if name in code.co_cellvars or name in code.co_freevars:
        return True
    if frame.f_locals is frame.f_globals and name in _read_by_functions(code):
        return True
    live, offset = _live_after(code), frame.f_lasti
    while offset > 0 and offset not in live:  # behind a call are its caches
        offset -= 2
    return name in live.get(offset, frozenset())


@cache
def _read_by_functions(code: CodeType) -> frozenset[str]:
    """The globals that the functions and classes in a file read."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    own = {
        str(name)
        for part in inner
        for step in dis.get_instructions(part)
        if step.opname in _OF_NAMES and step.opname.startswith("LOAD_")
        for name in [step.argval]
    }
    return frozenset(own.union(*map(_read_by_functions, inner)))


@cache
def _live_after(code: CodeType) -> dict[int, frozenset[str]]:
    """By the offset of each instruction, the variables that are read after it, before a write."""
    steps = list(dis.get_instructions(code))
    index = {step.offset: i for i, step in enumerate(steps)}
    following = [[index[t] for t in _following(steps, i) if t in index] for i in range(len(steps))]
    accesses = [[*_accesses(step)] for step in steps]
    before: list[frozenset[str]] = [frozenset()] * len(steps)
    after = before[:]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(steps))):
            live = after[i] = frozenset().union(*(before[j] for j in following[i]))
            for reads, name in reversed(accesses[i]):
                live = live | {name} if reads else live - {name}
            changed |= live != before[i]
            before[i] = live
    return {step.offset: names for step, names in zip(steps, after, strict=True)}


def _following(steps: list[dis.Instruction], i: int) -> Iterator[int]:
    """The offsets of the instructions that may run after one."""
    step = steps[i]
    if step.opcode in _JUMPS:
        yield step.argval
    if step.opname not in (*_UNCONDITIONAL, *_ENDS) and i + 1 < len(steps):
        yield steps[i + 1].offset


def _accesses(step: dis.Instruction) -> Iterator[tuple[bool, str]]:
    """The variables that an instruction reads (True) and writes (False), in order."""
    if step.opcode not in (*dis.haslocal, *dis.hasfree) and step.opname not in _OF_NAMES:
        return
    # Python 3.13 has instructions for two variables, such as STORE_FAST_LOAD_FAST.
    kinds = [part for part in step.opname.split("_") if part in ("LOAD", "STORE", "DELETE")]
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    for kind, name in zip(kinds, names, strict=False):
        yield kind == "LOAD", str(name)
