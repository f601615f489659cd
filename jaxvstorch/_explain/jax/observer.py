"""Watches while Python runs a function's lines for JAX to trace."""

import functools
import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import jax

from jaxvstorch._explain.observations import Place
from jaxvstorch._explain.python import accesses, harmless
from jaxvstorch._explain.python.accesses import Touch, once
from jaxvstorch._explain.python.bytecode import Bytecode
from jaxvstorch._explain.python.shown_files import OwnCode
from jaxvstorch._explain.python.unwrap import defaults
from jaxvstorch._explain.python.watcher import Watched
from jaxvstorch._explain.subject import Subject

_MACHINERY = os.path.join(Path(__file__).parents[1], "")
_MOST_INSIDE = 1000


class Observer:
    """Records what the function touches outside itself, and watches the objects it could change."""

    def __init__(self, subject: Subject, own: OwnCode) -> None:
        self._own = own
        self._failure = ""
        self._entry = subject.code
        self._arguments = subject.named
        self._is_of_jax = harmless.comes_from(type(subject.function), "jax", "jaxlib")
        self._watched = Watched()
        # The reader does not change globals of an installed package.
        self._bytecode = Bytecode(not own.is_installed, self._watched.add)
        self._caches = Caches()
        self._cached_at: dict[str, Place] = {}  # the line that first called the cached function
        self._copies: set[str] = set()
        self._written: dict[str, tuple[Touch, dict[str, Any]]] = {}
        self._entered: dict[int, CodeType] = {}  # by id, since hashing one takes long
        self._around: set[tuple[str, Place]] = set()  # names, and the lines that changed them
        self._known = 0
        self._previous: Place | None = None

    def opcode(self, frame: FrameType) -> None:
        """Look at an instruction of own code that is about to run."""
        if self._failure or not self._own.is_readers(frame.f_code.co_filename):
            return
        try:
            self._opcode(frame)
        except (
            Exception
        ) as error:  # raised by an object that was looked at; it must not end the trace
            self._failure = f"{type(error).__name__}: {error}"

    def _opcode(self, frame: FrameType) -> None:
        self._bytecode.opcode(frame)
        touches = self._bytecode.touches
        if len(touches) > self._known:
            touch = list(touches.values())[-1]
            self._known = len(touches)
            if touch.name.startswith("global "):
                self._written[touch.name] = (touch, frame.f_globals)

    def line(self, frame: FrameType, line: int | None) -> None:
        """Look at what the last line changed, before the next line or another function."""
        if self._failure or not self._own.is_readers(frame.f_code.co_filename):
            return
        try:
            self._line(frame, line)
        except Exception as error:  # likewise
            self._failure = f"{type(error).__name__}: {error}"

    def library(self, frame: FrameType) -> None:
        """Note a library's function that begins to run; the reader's line that called it counts."""
        found, caller = accesses.of_frame(frame), frame.f_back
        if found and caller and self._own.is_readers(caller.f_code.co_filename):
            kind, name = found
            self._bytecode.add(Touch(kind, name, (caller.f_code.co_filename, caller.f_lineno)))

    def missing(self) -> list[str]:
        """What could not be seen, and why."""
        if not self._failure:
            return []
        return [f"Part of what it touches outside itself: looking at it raised {self._failure}"]

    def _line(self, frame: FrameType, line: int | None) -> None:
        if id(frame.f_code) not in self._entered:
            self._entered[id(frame.f_code)] = frame.f_code
            self._begin(frame)
        if self._watched.look(self._previous):
            changed = self._watched.touches[-1].name
            self._around.update((changed, place) for place in self._callers(frame))
        file = frame.f_code.co_filename
        self._previous = next(self._callers(frame), None) if line is None else (file, line)

    def _begin(self, frame: FrameType) -> None:
        """Watch what a function that runs for the first time could change for its caller."""
        code = frame.f_code
        self._caches.entered(frame)
        self._cached_at.setdefault(
            code.co_name, next(self._callers(frame), (code.co_filename, code.co_firstlineno))
        )
        for name, value in defaults(code, frame.f_globals):
            self._watched.add(name, value)
        if code is not self._entry:
            return
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            value = frame.f_locals.get(name)
            self._watched.add(name, value)
            if value is not self._arguments.get(name) and name in self._arguments:
                self._copies.add(name)  # jax.jit takes containers apart and makes new ones

    def _callers(self, frame: FrameType) -> Iterator[Place]:
        """The lines of own code that called a function: what happens next belongs to them."""
        outer = frame.f_back
        while outer is not None and not outer.f_code.co_filename.startswith(_MACHINERY):
            if self._own.is_readers(outer.f_code.co_filename):
                yield outer.f_code.co_filename, outer.f_lineno
            outer = outer.f_back

    def touches(self) -> list[Touch]:
        """Everything seen; for one thing on one line only the worst."""
        read, changed = list(self._bytecode.touches.values()), self._watched.touches
        changed = [t for t in changed if not self._comes_back(t)]
        leaked = list(self._leaks())
        worse = {(t.name, t.place) for t in leaked}
        changed = [t for t in changed if (t.name, t.place) not in worse]
        drawn = {t.place for t in read if t.kind in ("random", "seed")}
        changed = [t for t in changed if t.kind != "random" or t.place not in drawn]
        worse |= self._around | {
            (t.name.removeprefix("global ").removeprefix("nonlocal "), t.place)
            for t in [*changed, *read]
            if t.kind != "read"
        }
        read = [t for t in read if t.kind != "read" or (t.name, t.place) not in worse]
        return [*once(read), *(self._on_a_copy(t) for t in changed), *leaked]

    def _on_a_copy(self, touch: Touch) -> Touch:
        copied = touch.kind == "changed" and touch.name in self._copies
        return replace(touch, kind="changed copy") if copied else touch

    def _comes_back(self, touch: Touch) -> bool:
        """Whether this is flax's own jit, which writes the change into the caller's object."""
        if self._is_of_jax or touch.name not in self._copies:
            return False
        inside = harmless.everything_in(touch.value, _MOST_INSIDE)
        return any(
            harmless.module_of(base).startswith("flax.nnx")
            for value in inside
            for base in harmless.bases(type(value))
        )

    def empty_spoilt_caches(self) -> None:
        """Remove traced values from the reader's caches, where the next call would find them."""
        self._caches.empty()

    def _leaks(self) -> Iterator[Touch]:
        """Traced values that are still held outside, now that the trace is done."""
        changed = {touch.name: touch for touch in self._watched.touches}
        for name, value in self._watched.values():
            if name in changed and name not in self._copies and _holds_tracer(value):
                yield Touch("leaked", name, changed[name].place)
        for name in self._caches.spoilt():
            yield Touch("leaked", name, self._cached_at[name])
        for name, (touch, names) in self._written.items():
            if _holds_tracer(names.get(name.removeprefix("global "))):
                yield Touch("leaked", name, touch.place)


def _holds_tracer(value: Any) -> bool:
    inside = harmless.everything_in(value, _MOST_INSIDE)
    return any(harmless.is_a(part, jax.core.Tracer) for part in inside)


class Caches:
    """The caches around functions that ran while a function was traced.

    An entry that was made meanwhile may hold a traced value: the next call that finds it raises
    ``UnexpectedTracerError``, traced or not.
    """

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def entered(self, frame: FrameType) -> None:
        """Note a function that runs now; a cache around it has its name, here or at the call."""
        code, caller = frame.f_code, frame.f_back
        for names in (frame.f_globals, caller.f_locals if caller else {}):
            cache = names.get(code.co_name)
            if harmless.is_a(cache, functools._lru_cache_wrapper):
                self._found[code.co_name] = cache

    def spoilt(self) -> list[str]:
        """The names of the caches that hold traced values now."""
        return [
            name for name, cache in self._found.items() if _holds_tracer(gc.get_referents(cache))
        ]

    def empty(self) -> None:
        """Empty the caches that hold traced values, so that the reader's program works."""
        for name in self.spoilt():
            self._found[name].cache_clear()
