"""Why Dynamo compiled a function once more, or did not and ran it as it is."""

import inspect
from types import CodeType
from typing import Any

from jaxvstorch.explainer.subject import by_name
from jaxvstorch.explainer.torch import frames, guards, listening, memory
from jaxvstorch.explainer.torch.names import as_called
from jaxvstorch.explainer.unwrap import original

_MOST = 3  # differences that one reason names

_STANCES = {
    "eager_on_recompile": "ran uncompiled: the stance is eager_on_recompile",
    "fail_on_recompile": "",  # the error says so
}


class Reasons(listening.Listener):
    """Gathers, during one call, why frames were compiled."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._inner = original(function)
        self._code = getattr(self._inner, "__code__", None)
        self._frames: list[frames.Frame] = []
        self._misses = 0

    def looked_up(self, found: bool) -> None:
        """A lookup that finds nothing is followed by a ``begun``, unless nothing more may be."""
        self._misses += not found

    def begun(self, frame: Any, kept: list[Any]) -> None:
        """Compares a frame with its kept programs, as long as its variables are as they are."""
        self._frames.append(frames.read(frame.f_code, dict(frame.f_locals), kept))

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
        for frame in self._frames:
            frame.remember()
        whole = [frame for frame in self._frames if not frame.resumes]
        found = [self._text(frame, raised) for frame in whole or self._frames]
        if "first call" in found:
            found = [text for text in found if not text.startswith("first call of ")]
        if self._silent:
            found.append(self._silent_text())
        if not all(frame.is_read for frame in self._frames) or not (found or self._frames):
            found += [guards.cleaned(str(r.recompile_reason or "first call")) for r in records]
        return tuple(dict.fromkeys(filter(None, found)))

    def _text(self, frame: frames.Frame, raised: bool) -> str:
        text = self._first(frame) if frame.is_first else self._difference(frame)
        if not frame.limit:
            return text
        ends = "not compiled" if raised else "ran uncompiled"
        return f"{frame.limit} ({memory.limit_of(frame.limit)}) reached, {ends}; {text}"

    def _first(self, frame: frames.Frame) -> str:
        if frame.resumes:
            return f"first time past the graph break at line {frame.line}"
        is_own = self._code in (None, frame.code) or memory.wraps_library_code(frame.code)
        return "first call" if is_own else f"first call of {frame.name}"

    def _difference(self, frame: frames.Frame) -> str:
        text = _list(frame.differences())
        if memory.wraps_library_code(frame.code):
            text = as_called(text, _parameters(self._inner))
        if text or not frame.is_read:
            return text
        return "compiled before, but for another backend or options"

    def _silent_text(self) -> str:
        """Of a lookup that found nothing, and that Dynamo did not go on from."""
        reached = "ran uncompiled: the recompile limit was reached before"
        texts = [_STANCES.get(memory.stance(), reached)]
        if isinstance(self._code, CodeType) and (variables := self._variables()):
            frame = frames.read(self._code, variables, memory.programs_kept(self._code))
            texts.append(_list([fail.text for fail in frame.failed]))
        return "; ".join(filter(None, texts))

    def _variables(self) -> dict[str, Any]:
        """What the function's own variables were at its beginning, as far as they are arguments."""
        compiled = getattr(self._function, "_torchdynamo_orig_callable", self._function)
        owner = getattr(compiled, "_orig_mod", getattr(compiled, "__self__", None))
        args = self._args if owner is None else (owner, *self._args)
        try:
            return by_name(self._inner, args, self._kwargs)
        except TypeError:
            return {}


def _list(texts: list[str]) -> str:
    more = f"; {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return "; ".join(texts[:_MOST]) + more


def _parameters(function: Any) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    return names[names[:1] == ["self"] :]
