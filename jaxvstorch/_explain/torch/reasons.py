"""Why Dynamo compiled a function again, or ran it uncompiled."""

import inspect
import weakref
from types import CodeType
from typing import Any

from jaxvstorch._explain.python.unwrap import original
from jaxvstorch._explain.subject import by_name
from jaxvstorch._explain.torch import dynamo_cache, frames, guards, listening
from jaxvstorch._explain.torch.guard_names import as_called

_MOST = 3  # differences that one reason names

_NOTHING = "nothing to compile, left to Python"
_EAGER_STANCES = ("force_eager", "eager_on_recompile", "eager_then_compile")

# The functions that Dynamo left to Python in a ledger, and whether it failed to compile them.
_left: "weakref.WeakKeyDictionary[CodeType, bool]" = weakref.WeakKeyDictionary()


class Reasons(listening.Listener):
    """Collects, during one call, why frames were compiled."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function, self._args, self._kwargs = function, args, kwargs
        self._inner = original(function)
        self._code = getattr(self._inner, "__code__", None)
        self._frames: list[frames.Frame] = []
        self._misses = self._hits = 0
        self._records: list[Any] = []
        self._raised = False

    def looked_up(self, is_hit: bool) -> None:
        """Count hits and misses; ``begun`` follows a miss, unless no more may be compiled."""
        self._misses += not is_hit
        self._hits += is_hit

    def begun(self, frame: Any, kept: list[Any]) -> None:
        """Compare a frame with its kept programs, before its variables change."""
        self._frames.append(frames.read(frame.f_code, dict(frame.f_locals), kept))

    def limited(self, limit: str) -> None:
        """Note that the last frame is not compiled."""
        self._frames[-1].limit = limit

    def ended(self, records: list[Any], raised: bool) -> None:
        """Note that the call is over.

        Args:
            records: Dynamo's records of it.
            raised: whether it raised.
        """
        self._records, self._raised = records, raised
        for frame in self._frames:
            frame.ended(records)
            if frame.is_left and _hears_all():
                _left[frame.code] = frame.failure is not None
            frame.is_left &= _hears_all() and not raised

    @property
    def breaks(self) -> int:
        """How many graph breaks made Dynamo give up a frame, which it does not count."""
        return sum(frame.is_given_up and frame.breaks for frame in self._frames)

    @property
    def uncompiled(self) -> int:
        """How many frames ran uncompiled, or would have, because no more programs are made."""
        silent = 0 if dynamo_cache.stance() == "fail_on_recompile" else self._silent
        limited = sum(frame.limit is not None for frame in self._frames)
        given_up = sum(frame.is_given_up for frame in self._frames)
        return silent + limited + given_up + (self._is_left and self._had_programs)

    @property
    def _silent(self) -> int:
        if not listening.supports("compute_cache_size"):
            return 0
        return max(0, self._misses - sum(bool(frame.kept) for frame in self._frames))

    @property
    def _is_left(self) -> bool:
        """Whether Dynamo did nothing in the call."""
        seen = self._frames or self._records or self._misses or self._hits
        return not seen and not self._raised and _hears_all()

    @property
    def _had_programs(self) -> bool:
        """Whether there is something to compile in a function that is left to Python."""
        if dynamo_cache.stance() in _EAGER_STANCES:
            return True
        code = self._code
        return isinstance(code, CodeType) and bool(
            _left.get(code) or dynamo_cache.programs_kept(code)
        )

    def texts(self) -> tuple[str, ...]:
        """The reasons, each once."""
        whole_frames = [frame for frame in self._frames if not frame.resumes or frame.is_given_up]
        texts = [self._text(frame) for frame in whole_frames or self._frames]
        if "first call" in texts:
            texts = [text for text in texts if not text.startswith("first call of ")]
        if self._silent:
            texts.append(self._silent_text())
        if self._is_left:
            texts.append(self._left_text())
        if not all(frame.is_read for frame in self._frames) or not (texts or self._frames):
            texts += [
                guards.cleaned(str(r.recompile_reason or "first call")) for r in self._records
            ]
        return tuple(dict.fromkeys(filter(None, texts)))

    def _text(self, frame: frames.Frame) -> str:
        text = self._first(frame) if frame.is_first else self._difference(frame)
        if frame.limit:
            ends = "not compiled" if self._raised else "ran uncompiled"
            return f"{ends}: {frame.limit} ({dynamo_cache.limit_of(frame.limit)}) reached; {text}"
        if frame.is_given_up:
            texts = [f"not compiled: {frame.failure}", text]
        else:
            texts = [text, _NOTHING] if frame.is_left and self._is_own(frame) else [text]
        return "; ".join(text for text in texts if text != "first call") or text

    def _first(self, frame: frames.Frame) -> str:
        if frame.resumes:
            return f"first time past the graph break at line {frame.line}"
        return "first call" if self._is_own(frame) else f"first call of {frame.name}"

    def _is_own(self, frame: frames.Frame) -> bool:
        return self._code in (None, frame.code) or dynamo_cache.wraps_library_code(frame.code)

    def _difference(self, frame: frames.Frame) -> str:
        text = _list(frame.differences())
        if dynamo_cache.wraps_library_code(frame.code):
            text = as_called(text, _parameters(self._inner))
        if text or not frame.is_read:
            return text
        return "compiled before, but for another backend or options"

    def _silent_text(self) -> str:
        """The reason for a miss after which Dynamo did nothing."""
        if dynamo_cache.stance() == "fail_on_recompile":
            texts = [""]  # the error says so
        else:
            texts = [_by_stance() or "ran uncompiled: the recompile limit was reached before"]
        if isinstance(self._code, CodeType) and (variables := self._variables()):
            frame = frames.read(self._code, variables, dynamo_cache.programs_kept(self._code))
            texts.append(_list([fail.text for fail in frame.failed]))
        return "; ".join(filter(None, texts))

    def _left_text(self) -> str:
        """The reason for a call in which Dynamo did nothing."""
        if stance := _by_stance():
            return stance
        left = "left this function to Python in an earlier call"
        is_known = self._code in _left
        return f"ran uncompiled: PyTorch {left if is_known else 'leaves this function to Python'}"

    def _variables(self) -> dict[str, Any]:
        """The function's arguments, by the names of its variables."""
        compiled = getattr(self._function, "_torchdynamo_orig_callable", self._function)
        owner = getattr(compiled, "_orig_mod", getattr(compiled, "__self__", None))
        args = self._args if owner is None else (owner, *self._args)
        try:
            return by_name(self._inner, args, self._kwargs)
        except TypeError:
            return {}


def _by_stance() -> str:
    stance = dynamo_cache.stance()
    return f"ran uncompiled: the stance is {stance}" if stance in _EAGER_STANCES else ""


def _hears_all() -> bool:
    """Whether everything that Dynamo does is noticed."""
    return listening.supports(
        "compute_cache_size", "exceeds_recompile_limit", "set_guard_complete_hook"
    )


def _list(texts: list[str]) -> str:
    more = f"; {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return "; ".join(texts[:_MOST]) + more


def _parameters(function: Any) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    return names[names[:1] == ["self"] :]
