"""Observes a function while Python runs its lines for JAX to trace."""

import functools
import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from jaxvstorch._explain.jax import traces
from jaxvstorch._explain.jax.arguments import is_jitted
from jaxvstorch._explain.jax.tracers import Before, holds_tracer
from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import accesses, harmless
from jaxvstorch._explain.python.accesses import Access, AccessKind, without_repeats
from jaxvstorch._explain.python.bytecode import Bytecode
from jaxvstorch._explain.python.outside_objects import Outside
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.python.unwrap import (
    attribute,
    bound_object,
    defaults,
    partial_arguments,
)
from jaxvstorch._explain.python.watcher import Watcher
from jaxvstorch._explain.subject import Subject

_MACHINERY = os.path.join(Path(__file__).parents[1], "")
_MOST_INSIDE = 1000


class Observer:
    """Records what a function accesses outside itself, and watches objects that it could change."""

    def __init__(self, subject: Subject, shown_files: ShownFiles) -> None:
        self._shown_files = shown_files
        self._failure = ""
        self._entry = subject.code
        self._arguments = subject.named
        self._is_of_jax = harmless.comes_from(type(subject.function), "jax", "jaxlib")
        self._watcher = Watcher()
        # The reader does not change globals of an installed package.
        self._before = Before()
        self._outside = Outside(has_begun=subject.code is None)
        owner = bound_object(subject.function)
        is_of_jit = is_jitted(attribute(subject.function, "__func__"))
        for value in subject.named.values():
            is_static = value is not owner or is_of_jit
            self._outside.add(value, is_static and traces.sees_changed_hash())
        for value in (owner, *partial_arguments(subject.function)):
            self._outside.add(value)
        self._bytecode = Bytecode(not shown_files.is_installed, self._watch, self._outside)
        self._caches = _Caches()
        self._cached_at: dict[str, Location] = {}  # the line that first called the cached function
        self._copies: set[str] = set()
        self._written: dict[str, tuple[Access, dict[str, Any]]] = {}
        self._entered: dict[int, CodeType] = {}  # by id, since hashing one takes long
        self._around: set[tuple[str, Location]] = set()  # names, and the lines that changed them
        self._known = 0
        self._previous: Location | None = None

    def opcode(self, frame: FrameType) -> None:
        """Look at an instruction of a shown file that is about to run."""
        if self._failure or not self._shown_files.is_readers(frame.f_code.co_filename):
            return
        try:
            self._opcode(frame)
        except (
            Exception
        ) as error:  # raised by an object that was looked at; it must not end the trace
            self._failure = f"{type(error).__name__}: {error}"

    def _watch(self, name: str, value: Any) -> None:
        self._watcher.add(name, value)
        self._before.add(value)

    def _opcode(self, frame: FrameType) -> None:
        self._bytecode.opcode(frame)
        accesses = self._bytecode.accesses
        if len(accesses) > self._known:
            access = list(accesses.values())[-1]
            self._known = len(accesses)
            if access.name.startswith("global "):
                self._written[access.name] = (access, frame.f_globals)
                self._before.add_global(frame.f_globals, access.name.removeprefix("global "))

    def line(self, frame: FrameType, line: int | None) -> None:
        """Look at what the last line changed, before the next line or another function."""
        if self._failure or not self._shown_files.is_readers(frame.f_code.co_filename):
            return
        try:
            self._line(frame, line)
        except Exception as error:  # as in ``opcode``
            self._failure = f"{type(error).__name__}: {error}"

    def library(self, frame: FrameType) -> None:
        """Note a library's function that begins to run, at the reader's line that called it."""
        access, caller = accesses.frame_access(frame), frame.f_back
        if access and caller and self._shown_files.is_readers(caller.f_code.co_filename):
            kind, name = access
            self._bytecode.add(Access(kind, name, (caller.f_code.co_filename, caller.f_lineno)))

    def missing(self) -> list[str]:
        """What could not be seen, and why."""
        if not self._failure:
            return []
        looked = f"looking at it raised {self._failure}"
        return [f"Part of what the function accesses outside itself: {looked}"]

    def _line(self, frame: FrameType, line: int | None) -> None:
        if id(frame.f_code) not in self._entered:
            self._entered[id(frame.f_code)] = frame.f_code
            self._begin(frame)
        if self._watcher.compare(self._previous):
            changed = self._watcher.accesses[-1].name
            self._around.update((changed, location) for location in self._callers(frame))
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
            self._watch(name, value)
        if code is not self._entry:
            return
        self._outside.has_begun = True
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            value = frame.f_locals.get(name)
            self._watch(name, value)
            if value is not self._arguments.get(name) and name in self._arguments:
                self._copies.add(name)  # jax.jit flattens containers and builds new ones

    def _callers(self, frame: FrameType) -> Iterator[Location]:
        """The shown lines that called a function, the innermost first; they own its effects."""
        outer = frame.f_back
        while outer is not None and not outer.f_code.co_filename.startswith(_MACHINERY):
            if self._shown_files.is_readers(outer.f_code.co_filename):
                yield outer.f_code.co_filename, outer.f_lineno
            outer = outer.f_back

    def accesses(self) -> list[Access]:
        """All accesses; of several to one thing on one line only the worst."""
        read, changed = list(self._bytecode.accesses.values()), self._watcher.accesses
        leaked = list(self._leaks())
        worse = {(a.name, a.location) for a in leaked}
        drawn = {a.location for a in read if a.kind in (AccessKind.RANDOM, AccessKind.SEED)}
        changed = [
            a
            for a in changed
            if not self._is_kept_by_flax(a)
            and (a.name, a.location) not in worse
            and (a.kind is not AccessKind.RANDOM or a.location not in drawn)
        ]
        worse |= self._around | {
            (a.name.removeprefix("global ").removeprefix("nonlocal "), a.location)
            for a in [*changed, *read]
            if a.kind is not AccessKind.READ
        }
        read = [
            a for a in read if a.kind is not AccessKind.READ or (a.name, a.location) not in worse
        ]
        return [*without_repeats(read), *map(self._on_a_copy, changed), *leaked]

    def _on_a_copy(self, access: Access) -> Access:
        copied = access.kind is AccessKind.CHANGED and access.owner in self._copies
        return replace(access, kind=AccessKind.CHANGED_COPY) if copied else access

    def _is_kept_by_flax(self, access: Access) -> bool:
        """Whether this is flax's own jit, which writes the change into the caller's object."""
        if self._is_of_jax or access.owner not in self._copies:
            return False
        inside = harmless.everything_in(access.value, _MOST_INSIDE)
        return any(
            harmless.module_of(base).startswith("flax.nnx")
            for value in inside
            for base in harmless.bases(type(value))
        )

    def remove_tracers(self) -> None:
        """Remove traced values from where the reader's program would find them after the trace."""
        self._caches.empty()
        self._before.put_back()

    def _leaks(self) -> Iterator[Access]:
        """Traced values that are still held outside, now that the trace is done."""
        for access in {access.name: access for access in self._watcher.accesses}.values():
            if access.owner not in self._copies and holds_tracer(_value_of(access)):
                yield Access(AccessKind.LEAKED, access.name, access.location)
        for name in self._caches.holding_tracers():
            yield Access(AccessKind.LEAKED, name, self._cached_at[name])
        for name, (access, names) in self._written.items():
            if holds_tracer(names.get(name.removeprefix("global "))):
                yield Access(AccessKind.LEAKED, name, access.location)


def _value_of(access: Access) -> Any:
    """What the changed attribute holds now, or the object itself if none is named."""
    value = access.value
    for name in access.name.removeprefix(access.owner).split(".")[1:]:
        value = harmless.attribute(value, name)
    return value


class _Caches:
    """The caches around functions that ran while a function was traced.

    An entry that was made during the trace may hold a traced value: the next call that finds it
    raises ``UnexpectedTracerError``, traced or not.
    """

    def __init__(self) -> None:
        self._caches: dict[str, Any] = {}

    def entered(self, frame: FrameType) -> None:
        """Note a function that runs now; a cache around it has its name, here or at the call."""
        code, caller = frame.f_code, frame.f_back
        for names in (frame.f_globals, caller.f_locals if caller else {}):
            cache = names.get(code.co_name)
            if harmless.is_a(cache, functools._lru_cache_wrapper):
                self._caches[code.co_name] = cache

    def holding_tracers(self) -> list[str]:
        """The names of the caches that hold traced values now."""
        return [
            name for name, cache in self._caches.items() if holds_tracer(gc.get_referents(cache))
        ]

    def empty(self) -> None:
        """Empty the caches that hold traced values, so that the reader's program works."""
        for name in self.holding_tracers():
            self._caches[name].cache_clear()
