"""Looks on while Python runs a function's lines for JAX to trace."""

import inspect
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import jax

from jaxvstorch.explainer.operations import Place
from jaxvstorch.explainer.own import OwnCode
from jaxvstorch.explainer.subject import Subject
from jaxvstorch.explainer.touches import Bytecode, Touch
from jaxvstorch.explainer.watched import Watched


class Observer:
    """Keeps what the function touches outside of itself, and the objects that it could change."""

    def __init__(self, subject: Subject, own: OwnCode) -> None:
        self._own = own
        self._failure = ""
        self._entry = subject.code
        self._arguments = subject.named
        # The globals of an installed package are not the reader's to change.
        self._bytecode = Bytecode(global_reads=not own.is_installed)
        self._watched = Watched()
        self._copies: set[str] = set()
        self._written: dict[str, tuple[Touch, dict[str, Any]]] = {}
        self._known = 0
        self._previous: Place | None = None

    def opcode(self, frame: FrameType) -> None:
        """An instruction of own code is about to run."""
        if self._failure or not self._own.is_readers(frame.f_code.co_filename):
            return
        try:
            self._opcode(frame)
        except Exception as error:  # of an object that was looked at; it must not end the trace
            self._failure = f"{type(error).__name__}: {error}"

    def _opcode(self, frame: FrameType) -> None:
        self._bytecode.opcode(frame)
        touches = self._bytecode.touches
        if len(touches) > self._known:
            touch = list(touches.values())[-1]
            self._known = len(touches)
            if touch.kind == "read":
                self._watched.add(touch.name, touch.value)
            elif touch.name.startswith("global "):
                self._written[touch.name] = (touch, frame.f_globals)

    def line(self, frame: FrameType, line: int | None) -> None:
        """A line of own code is about to run, or a function is entered or left."""
        if self._failure or not self._own.is_readers(frame.f_code.co_filename):
            return
        try:
            self._line(frame, line)
        except Exception as error:  # likewise
            self._failure = f"{type(error).__name__}: {error}"

    def missing(self) -> list[str]:
        """What could not be seen, and why."""
        if not self._failure:
            return []
        return [f"Part of what it touches outside of itself: looking at it raised {self._failure}"]

    def _line(self, frame: FrameType, line: int | None) -> None:
        if frame.f_code is self._entry and self._previous is None:
            for name in inspect.getargs(frame.f_code).args:
                value = frame.f_locals.get(name)
                self._watched.add(name, value)
                if value is not self._arguments.get(name) and name in self._arguments:
                    self._copies.add(name)  # jax.jit takes containers apart and makes new ones
        self._watched.look(self._previous)
        if line is not None:
            self._previous = (frame.f_code.co_filename, line)

    def touches(self) -> list[Touch]:
        """Everything seen; of one thing on one line only the worst."""
        read, changed = list(self._bytecode.touches.values()), self._watched.touches
        leaked = list(self._leaks())
        worse = {(t.name, t.place) for t in leaked}
        changed = [t for t in changed if (t.name, t.place) not in worse]
        drawn = {t.place for t in read if t.kind == "random"}
        changed = [t for t in changed if t.kind != "random" or t.place not in drawn]
        worse |= {
            (t.name.removeprefix("global ").removeprefix("nonlocal "), t.place)
            for t in [*changed, *read]
            if t.kind != "read"
        }
        read = [t for t in read if t.kind != "read" or (t.name, t.place) not in worse]
        return [*read, *(self._on_a_copy(t) for t in changed), *leaked]

    def _on_a_copy(self, touch: Touch) -> Touch:
        copied = touch.kind == "changed" and touch.name in self._copies
        return replace(touch, kind="changed copy") if copied else touch

    def _leaks(self) -> Iterator[Touch]:
        """Traced values that are still held outside, now that the trace is done."""
        changed = {touch.name: touch for touch in self._watched.touches}
        for name, value in self._watched.values():
            if name in changed and name not in self._copies and _holds_tracer(value):
                yield Touch("leaked", name, changed[name].place)
        for name, (touch, names) in self._written.items():
            if _holds_tracer(names.get(name.removeprefix("global "))):
                yield Touch("leaked", name, touch.place)


def _holds_tracer(value: Any) -> bool:
    values = vars(value) if hasattr(value, "__dict__") and not callable(value) else value
    leaves = list(values) if isinstance(values, set) else jax.tree.leaves(values)
    return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
