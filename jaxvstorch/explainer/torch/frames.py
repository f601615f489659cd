"""A function that Dynamo begins to compile, compared with what is kept of it."""

import re
import weakref
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from jaxvstorch.explainer.shorthand import describe
from jaxvstorch.explainer.torch import guards, memory, tensor_guards

# What the variables were when a program was compiled, in short, as long as PyTorch keeps it.
_variables: "weakref.WeakKeyDictionary[Any, dict[str, str]]" = weakref.WeakKeyDictionary()

_NUMBER = re.compile(r" == -?[\d.]+(e[-+]?\d+)?$")


@dataclass
class Frame:
    """A function that Dynamo begins to compile, or would have to.

    Attributes:
        code: the function's.
        kept: the programs that there are of it.
        variables: the function's, in short.
        failed: the guards of the nearest kept program that do not hold.
        is_first: whether none of the kept programs is of this function.
        is_read: whether the guards could be read.
        limit: the name of the limit that keeps it from being compiled.
    """

    code: CodeType
    kept: list[Any]
    variables: dict[str, str] = field(default_factory=dict)
    failed: list[guards.Failed] = field(default_factory=list)
    is_first: bool = False
    is_read: bool = True
    limit: str | None = None

    @property
    def resumes(self) -> bool:
        """Whether it is what was left of a function after a graph break."""
        return self.code.co_name.startswith("torch_dynamo_resume_in_")

    @property
    def line(self) -> str:
        """Of the graph break after which it begins, if it resumes."""
        return self.code.co_name.rpartition("_at_")[2].partition("_")[0]

    @property
    def name(self) -> str:
        """The function's."""
        name = getattr(self.code, "co_qualname", self.code.co_name)
        return str(name).replace("<locals>.", "")

    def new(self) -> list[Any]:
        """The programs that there are of it by now."""
        before = {id(entry) for entry in self.kept}
        return [entry for entry in memory.programs_kept(self.code) if id(entry) not in before]

    def remember(self) -> None:
        """Keep what the variables were, for who is compared with this call."""
        for entry in self.new():
            _variables[entry.guard_manager] = self.variables

    def differences(self) -> list[str]:
        """What tells it from the nearest kept program, and what may be anything from now on."""
        if not self.failed:
            return []
        now = [check for entry in self.new() for check in memory.guards_of(entry)]
        return list(dict.fromkeys(fail.text + _widened(fail, now) for fail in self.failed))


def read(code: CodeType, variables: dict[str, Any], kept: list[Any]) -> Frame:
    """A frame, compared with the programs that are kept of it.

    Args:
        code: the function's.
        variables: its own, in this call.
        kept: the programs.
    """
    try:
        return _read(code, variables, kept)
    except Exception:  # Dynamo is about to compile: nothing that goes wrong here may reach it
        return Frame(code, kept, is_first=not kept, is_read=False)


def _read(code: CodeType, variables: dict[str, Any], kept: list[Any]) -> Frame:
    found = []
    for entry in kept:
        told = _variables.get(entry.guard_manager, {})
        found.append(guards.failed(entry, code, variables, told))
    if memory.wraps_library_code(code):  # then programs of other functions are among them
        found = [fails for fails in found if all(fail.source != "L['fn']" for fail in fails)]
    # Where nothing fails, the program is kept for another backend or for other options.
    nearest = min(filter(None, found), key=len, default=[])
    short = {name: describe(value) for name, value in variables.items()}
    return Frame(code, kept, short, nearest, is_first=not found)


def _widened(fail: guards.Failed, now: list[tuple[str, str]]) -> str:
    """Whether a value may be any from now on, as the new program's guards say."""
    checks = [check for source, check in now if source == fail.source]
    sizes = max(map(tensor_guards.dynamic_dims, checks), default=())
    if len(sizes) > len(tensor_guards.dynamic_dims(fail.guard)):
        return ", now any size"
    if now and _NUMBER.search(fail.guard) and not any(map(_NUMBER.search, checks)):
        return ", now any number"
    return ""
