"""Why Dynamo compiled a function again, or ran it uncompiled."""

import inspect
import weakref
from types import CodeType
from typing import Any

from jaxvstorch._explain import ledger_cures as cures
from jaxvstorch._explain.ledger_cures import Why, shortened
from jaxvstorch._explain.python.unwrap import original
from jaxvstorch._explain.subject import by_name
from jaxvstorch._explain.torch import dynamo_cache, frames, guards, listening
from jaxvstorch._explain.torch.guard_names import as_called

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

    def compiled_first(self) -> set[tuple[str, str, int]]:
        """Name, file and line of the functions that had no program before, without resumed ones."""
        return {
            (frame.name, frame.code.co_filename, frame.code.co_firstlineno)
            for frame in self._frames
            if frame.is_first and not frame.resumes
        }

    @property
    def found(self) -> bool:
        """Whether every frame found a program that was there."""
        return self._hits > 0 and self._misses == 0

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

    def whys(self) -> list[Why]:
        """The reasons, and what to do about them."""
        whole_frames = [frame for frame in self._frames if not frame.resumes or frame.is_given_up]
        whys = [why for frame in whole_frames or self._frames for why in self._of_frame(frame)]
        if any(why.text == "first call" for why in whys):
            whys = [why for why in whys if not why.text.startswith("first call of ")]
        if self._silent:
            whys += self._of_silent()
        if self._is_left:
            whys.append(self._of_left())
        if not all(frame.is_read for frame in self._frames) or not (whys or self._frames):
            whys += [
                Why(guards.cleaned(str(r.recompile_reason or "first call"))) for r in self._records
            ]
        return whys

    def _of_frame(self, frame: frames.Frame) -> list[Why]:
        whys = [self._first(frame)] if frame.is_first else self._difference(frame)
        if frame.limit:
            ends = "not compiled" if self._raised else "ran uncompiled"
            limit = f"{frame.limit} ({dynamo_cache.limit_of(frame.limit)})"
            return [Why(f"{ends}: {limit} reached", cures.LIMIT), *whys]
        if frame.is_given_up:
            is_first = [why.text for why in whys] == ["first call"]
            given_up = Why(f"not compiled: {frame.failure}", cures.BREAK)
            return [given_up, *([] if is_first else whys)]
        if frame.is_left and self._is_own(frame):
            return [*(why for why in whys if why.text != "first call"), Why(_NOTHING)]
        return whys

    def _first(self, frame: frames.Frame) -> Why:
        if frame.resumes:
            return Why(f"first time past the graph break at line {frame.line}", cures.BREAK)
        return Why("first call" if self._is_own(frame) else f"first call of {frame.name}")

    def _is_own(self, frame: frames.Frame) -> bool:
        return self._code in (None, frame.code) or dynamo_cache.wraps_library_code(frame.code)

    def _difference(self, frame: frames.Frame) -> list[Why]:
        whys = shortened(frame.differences())
        if dynamo_cache.wraps_library_code(frame.code):
            names = _parameters(self._inner)
            whys = [Why(as_called(why.text, names), why.cure) for why in whys]
        if whys or not frame.is_read:
            return whys
        return [Why("compiled before, but with another backend or other options", cures.OPTIONS)]

    def _of_silent(self) -> list[Why]:
        """The reason for a miss after which Dynamo did nothing."""
        whys = []
        if dynamo_cache.stance() != "fail_on_recompile":  # there the error says so
            limit = Why("ran uncompiled: the recompile limit was reached before", cures.LIMIT)
            whys = [_by_stance() or limit]
        if isinstance(self._code, CodeType) and (variables := self._variables()):
            frame = frames.read(self._code, variables, dynamo_cache.programs_kept(self._code))
            whys += shortened([fail.why for fail in frame.failed])
        return whys

    def _of_left(self) -> Why:
        """The reason for a call in which Dynamo did nothing."""
        if stance := _by_stance():
            return stance
        left = "left this function to Python in an earlier call"
        is_known = self._code in _left
        text = f"ran uncompiled: PyTorch {left if is_known else 'leaves this function to Python'}"
        return Why(text, cures.LEFT)

    def _variables(self) -> dict[str, Any]:
        """The function's arguments, by the names of its variables."""
        compiled = getattr(self._function, "_torchdynamo_orig_callable", self._function)
        owner = getattr(compiled, "_orig_mod", getattr(compiled, "__self__", None))
        args = self._args if owner is None else (owner, *self._args)
        try:
            return by_name(self._inner, args, self._kwargs)
        except TypeError:
            return {}


def _by_stance() -> Why | None:
    stance = dynamo_cache.stance()
    if stance not in _EAGER_STANCES:
        return None
    return Why(f"ran uncompiled: the stance is {stance}", cures.STANCE)


def _hears_all() -> bool:
    """Whether everything that Dynamo does is noticed."""
    return listening.supports(
        "compute_cache_size", "exceeds_recompile_limit", "set_guard_complete_hook"
    )


def _parameters(function: Any) -> list[str]:
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    return names[names[:1] == ["self"] :]
