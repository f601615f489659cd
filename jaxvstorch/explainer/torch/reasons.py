"""Why Dynamo compiled a function once more, or did not and ran it as it is."""

import inspect
import re
import weakref
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from jaxvstorch.explainer.shorthand import describe
from jaxvstorch.explainer.subject import by_name
from jaxvstorch.explainer.torch import guards, listening, memory, tensor_guards
from jaxvstorch.explainer.torch.names import as_called
from jaxvstorch.explainer.unwrap import original

_MOST = 3  # differences that one reason names

# What the variables were when a program was compiled, in short, as long as PyTorch keeps it.
_variables: "weakref.WeakKeyDictionary[Any, dict[str, str]]" = weakref.WeakKeyDictionary()


@dataclass
class Frame:
    """A function that Dynamo begins to compile, or would have to.

    Attributes:
        code: the function's.
        kept: the programs that there are of it.
        is_first: whether none of them is of this function.
        variables: the function's, in short.
        failed: the guards of the nearest kept program that do not hold.
        limit: the name of the limit that keeps it from being compiled.
    """

    code: CodeType
    kept: list[Any]
    variables: dict[str, str]
    failed: list[guards.Failed] = field(default_factory=list)
    limit: str | None = None
    is_first: bool = False

    @property
    def resumes(self) -> bool:
        """Whether it is what was left of a function after a graph break."""
        return self.code.co_name.startswith("torch_dynamo_resume_in_")


def frame_of(code: CodeType, variables: dict[str, Any], kept: list[Any]) -> Frame:
    """A frame, compared with the programs that are kept of it."""
    frame = Frame(code, kept, {name: describe(value) for name, value in variables.items()})
    found = []
    for entry in kept:
        told = _variables.get(entry.guard_manager, {})
        found.append(guards.failed(entry, code, variables, told))
    if memory.wraps_library_code(code):  # then those of other functions are among them
        found = [fails for fails in found if all(fail.source != "L['fn']" for fail in fails)]
    frame.is_first = not found
    # Where nothing fails, the program is kept for another backend or for other options.
    frame.failed = min(filter(None, found), key=len, default=[])
    return frame


class Reasons(listening.Listener):
    """Gathers, during one call, why frames were compiled."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._frames: list[Frame] = []
        self._misses = 0

    def looked_up(self, found: bool) -> None:
        """A lookup that finds nothing is followed by a ``begun``, unless nothing more may be."""
        self._misses += not found

    def begun(self, frame: Any, kept: list[Any]) -> None:
        """Compares a frame with its kept programs, as long as its variables are as they are."""
        self._frames.append(frame_of(frame.f_code, dict(frame.f_locals), kept))

    def limited(self, limit: str) -> None:
        """The last frame is not compiled."""
        self._frames[-1].limit = limit

    @property
    def uncompiled(self) -> int:
        """How many frames ran as they are, or would have, because no more programs are made."""
        silent = 0 if memory.stance() == "fail_on_recompile" else self._silent
        return silent + sum(frame.limit is not None for frame in self._frames)

    @property
    def _silent(self) -> int:
        return max(0, self._misses - sum(bool(frame.kept) for frame in self._frames))

    def texts(self, records: list[Any], raised: bool) -> tuple[str, ...]:
        """The reasons, each once.

        Args:
            records: Dynamo's own of this call, for where there is nothing better.
            raised: whether the call did.
        """
        self._remember()
        inner = original(self._function)
        own = getattr(inner, "__code__", None)
        found = [self._text(frame, own, raised) for frame in self._frames if not frame.resumes]
        if not found:
            found = [self._text(frame, own, raised) for frame in self._frames]
        if any(text == "first call" for text in found):
            found = [text for text in found if not text.startswith("first call of ")]
        if self._silent:
            found.append(self._silent_text(own))
        if not found and records:
            found = [_from_record(record) for record in records]
        return tuple(dict.fromkeys(filter(None, found)))

    def _remember(self) -> None:
        for frame in self._frames:
            for entry in _new(frame):
                _variables[entry.guard_manager] = frame.variables

    def _text(self, frame: Frame, own: Any, raised: bool) -> str:
        if frame.is_first and not frame.limit:
            if frame.resumes:
                line = frame.code.co_name.rpartition("_at_")[2].partition("_")[0]
                return f"first time past the graph break at line {line}"
            is_own = own in (None, frame.code) or memory.wraps_library_code(frame.code)
            return "first call" if is_own else f"first call of {_name(frame)}"
        text = _list(frame.failed)
        if memory.wraps_library_code(frame.code):
            text = as_called(text, _parameters(original(self._function)))
        if not text:
            text = (
                "first call"
                if frame.is_first
                else "compiled before, but for another backend or options"
            )
        if frame.limit:
            number = memory.limit_of(frame.limit)
            ends = "not compiled" if raised else "ran uncompiled"
            return f"{frame.limit} ({number}) reached, {ends}; {text}"
        return text + _widened(frame)

    def _silent_text(self, own: Any) -> str:
        text = _STANCES.get(
            memory.stance(), "ran uncompiled: the recompile limit was reached before"
        )
        kept = memory.programs_kept(own) if isinstance(own, CodeType) else []
        variables = by_name(original(self._function), self._args, self._kwargs) if kept else {}
        differs = _list(frame_of(own, variables, kept).failed) if variables else ""
        return "; ".join(filter(None, (text, differs)))


_STANCES = {
    "eager_on_recompile": "ran uncompiled: the stance is eager_on_recompile",
    "fail_on_recompile": "",
}


def _parameters(function: Any) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    return names[names[:1] == ["self"] :]


def _name(frame: Frame) -> str:
    return str(getattr(frame.code, "co_qualname", frame.code.co_name)).replace("<locals>.", "")


def _list(failed: list[guards.Failed]) -> str:
    texts = list(dict.fromkeys(fail.text for fail in failed))
    more = f"; {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return "; ".join(texts[:_MOST]) + more


def _new(frame: Frame) -> list[Any]:
    before = {id(entry) for entry in frame.kept}
    return [entry for entry in memory.programs_kept(frame.code) if id(entry) not in before]


def _widened(frame: Frame) -> str:
    """Whether what differs may be anything from now on, as the new program's guards say."""
    for entry in _new(frame):
        now = memory.guards_of(entry)
        for fail in frame.failed:
            checks = [check for source, check in now if source == fail.source]
            sizes = max(map(tensor_guards.dynamic_dims, checks), default=())
            if len(sizes) > len(tensor_guards.dynamic_dims(fail.guard)):
                return ", now any size"
            if _NUMBER.search(fail.guard) and not any(map(_NUMBER.search, checks)):
                return ", now any number"
    return ""


_NUMBER = re.compile(r" == -?[\d.]+(e[-+]?\d+)?$")


def _from_record(record: Any) -> str:
    """The guard that failed, by Dynamo's own record."""
    return guards.cleaned(str(record.recompile_reason or "first call"))
