"""A function that Dynamo begins to compile, compared with its cached programs."""

import re
import weakref
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from jaxvstorch._explain import ledger_cures as cures
from jaxvstorch._explain.ledger_cures import Why
from jaxvstorch._explain.shorthand import describe
from jaxvstorch._explain.torch import dynamo_cache, guards, tensor_guards

# Short descriptions of the variables that a program was compiled for, while PyTorch keeps it.
_variables: "weakref.WeakKeyDictionary[Any, dict[str, str]]" = weakref.WeakKeyDictionary()

_NUMBER = re.compile(r" == -?[\d.]+(e[-+]?\d+)?$")


@dataclass
class Frame:
    """A function that Dynamo begins to compile, or would have to.

    Attributes:
        code: the function's code.
        kept: its cached programs.
        variables: short descriptions of its variables.
        failed: the guards of the nearest kept program that fail.
        is_first: whether none of the kept programs belongs to this function.
        is_read: whether the guards could be read.
        limit: the name of the limit that keeps it from being compiled.
        failure: why Dynamo could not compile it; ``None`` if it could.
        breaks: whether it failed at a graph break that Dynamo does not count.
        is_left: whether it got no program, so that Dynamo leaves it to Python from now on.
    """

    code: CodeType
    kept: list[Any]
    variables: dict[str, str] = field(default_factory=dict)
    failed: list[guards.Failed] = field(default_factory=list)
    is_first: bool = False
    is_read: bool = True
    limit: str | None = None
    failure: str | None = None
    breaks: bool = False
    is_left: bool = False

    @property
    def resumes(self) -> bool:
        """Whether it is the rest of a function after a graph break."""
        return self.code.co_name.startswith("torch_dynamo_resume_in_")

    @property
    def is_given_up(self) -> bool:
        """Whether Dynamo leaves it to Python because it cannot compile it."""
        return self.is_left and self.failure is not None

    @property
    def line(self) -> str:
        """The line of the graph break after which it begins, if it resumes."""
        return self.code.co_name.rpartition("_at_")[2].partition("_")[0]

    @property
    def name(self) -> str:
        """The function's name."""
        name = getattr(self.code, "co_qualname", self.code.co_name)
        return str(name).replace("<locals>.", "")

    def new(self) -> list[Any]:
        """The programs compiled for it since then."""
        before = {id(entry) for entry in self.kept}
        return [entry for entry in dynamo_cache.programs_kept(self.code) if id(entry) not in before]

    def ended(self, records: list[Any]) -> None:
        """Note how its compilation ended, and remember its variables to compare later calls with.

        Args:
            records: Dynamo's records of the call.
        """
        mine = [record for record in records if _is_of(record, self.code)]
        self.is_left = bool(mine) and not self.new() and self.limit is None
        if self.is_left and (reason := getattr(mine[0], "fail_reason", None)):
            self.failure = _failure(reason)
            # A break where it begins is the one that it resumes after, which is counted.
            self.breaks = str(getattr(mine[0], "fail_user_frame_lineno", None)) != self.line
        for entry in self.new():
            _variables[entry.guard_manager] = self.variables

    def differences(self) -> list[Why]:
        """How it differs from the nearest kept program, and what may vary from now on."""
        if not self.failed:
            return []
        now = [check for entry in self.new() for check in dynamo_cache.guards_of(entry)]
        return list(dict.fromkeys(_widened(fail, now) for fail in self.failed))


def _is_of(record: Any, code: CodeType) -> bool:
    where = (record.co_name, record.co_filename, record.co_firstlineno)
    return where == (code.co_name, code.co_filename, code.co_firstlineno)


def _failure(reason: str) -> str:
    r"""Dynamo's reason for a failure: its first line, and whether a loop is the cause.

    >>> _failure("Call to `f`\n  Explanation: …\ngraph break in loop\n  Hint: …")
    'graph break in a loop: Call to `f`'
    """
    first, *others = (line.strip() for line in reason.strip().splitlines())
    return f"graph break in a loop: {first}" if "graph break in loop" in others else first


def read(code: CodeType, variables: dict[str, Any], kept: list[Any]) -> Frame:
    """A frame, compared with its kept programs.

    Args:
        code: the function's.
        variables: its own, in this call.
        kept: the programs.
    """
    try:
        return _read(code, variables, kept)
    except Exception:  # Dynamo is about to compile, and must not see an error from here
        return Frame(code, kept, is_first=not kept, is_read=False)


def _read(code: CodeType, variables: dict[str, Any], kept: list[Any]) -> Frame:
    failed_guards = []
    for entry in kept:
        earlier = _variables.get(entry.guard_manager, {})
        failed_guards.append(guards.failed(entry, code, variables, earlier))
    if dynamo_cache.wraps_library_code(code):  # then programs of other functions are among them
        failed_guards = [
            fails for fails in failed_guards if all(fail.source != "L['fn']" for fail in fails)
        ]
    # If no guard of one fails, it is kept for another backend or for other options.
    nearest = min(failed_guards, key=guards.distance, default=[])
    short = {name: describe(value) for name, value in variables.items()}
    return Frame(code, kept, short, nearest, is_first=not failed_guards)


def _widened(fail: guards.Failed, now: list[tuple[str, str]]) -> Why:
    """The reason, and whether the value may vary from now on, by the new program's guards."""
    checks = [check for source, check in now if source == fail.source]
    sizes = max(map(tensor_guards.dynamic_dims, checks), default=())
    if len(sizes) > len(tensor_guards.dynamic_dims(fail.guard)):
        cure = cures.SIZE if fail.why.cure == cures.FIXED_SIZE else fail.why.cure
        return Why(f"{fail.why.text}, now any size", cure)
    if now and _NUMBER.search(fail.guard) and not any(map(_NUMBER.search, checks)):
        cure = cures.NUMBER if fail.why.cure == cures.VALUE else fail.why.cure
        return Why(f"{fail.why.text}, now any number", cure)
    return fail.why
