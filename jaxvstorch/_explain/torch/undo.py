"""Removes what Dynamo keeps of the frames that it compiled for one backend, and nothing else.

Everything compiled for another backend at the same time, here or in another thread, stays.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any
from unittest import mock

from jaxvstorch._explain.torch import interventions
from jaxvstorch._frameworks.private import torch as private


class Undo:
    """What Dynamo did for one backend, frame by frame, until it is taken back.

    Dynamo compiles one frame at a time in all threads, under its own lock. Its counts and guesses
    are read and restored under that lock.
    """

    def __init__(self, backend: Callable[..., Any]) -> None:
        """Args: the backend; no other compilation may use it."""
        self._backend = backend
        self._codes: dict[int, CodeType] = {}
        self._hooks: list[tuple[Any, Any]] = []
        self._aliases: list[tuple[dict[str, Any], str]] = []
        self._cleanups: dict[int, Any] = {}
        self._guesses: defaultdict[Any, Any] = defaultdict(private.CodeState)
        self._first_frame = private.frame_counter
        self._first_attempts = sum(private.frame_compile_counter.values())
        self._frames = 0
        self._attempts: Counter[int] = Counter()

    @contextmanager
    def frame(self, entered: Any) -> Iterator[None]:
        """A block in which Dynamo compiles a frame for the backend; the caller holds its lock."""
        self._codes[id(entered.f_code)] = entered.f_code
        frames = private.frame_counter
        attempts: Counter[int] = Counter(private.frame_compile_counter)
        cleaning = private.CleanupManager.instance
        known = set(cleaning.values)
        aliases = _aliases(entered.f_globals)
        with self._names_noted(), self._separate_guesses(), interventions.counts_restored():
            try:
                yield
            finally:
                new = _aliases(entered.f_globals) - aliases
                self._aliases += [(entered.f_globals, name) for name in new]
                self._cleanups |= {k: v for k, v in cleaning.values.items() if k not in known}
                self._frames += private.frame_counter - frames
                self._attempts += private.frame_compile_counter - attempts

    @contextmanager
    def _names_noted(self) -> Iterator[None]:
        """A block in which the names that Dynamo puts among the function's globals are noted."""
        create = private.CleanupHook.create

        def noting(scope: dict[str, Any], name: str, value: Any) -> Any:
            hook = create(scope, name, value)
            self._hooks.append((hook, value))
            return hook

        with mock.patch.object(private.CleanupHook, "create", staticmethod(noting)):
            yield

    @contextmanager
    def _separate_guesses(self) -> Iterator[None]:
        """A block in which Dynamo's guesses about changing sizes stay with this backend."""
        with private.restored("code_state", "first_code_state"):
            private.assign("code_state", self._guesses)
            yield

    def take_back(self) -> None:
        """Forget what was compiled, and remove the names that belonged to it."""
        with private.compile_lock:
            for code in self._codes.values():
                interventions.forget(code, self._backend)
            backends = private.cached_backends
            for key in [
                k for k, other in backends.items() if interventions.is_for(self._backend, other)
            ]:
                del backends[key]
            self._remove_names()
            self._count_back()

    def _remove_names(self) -> None:
        cleaning = private.CleanupManager.instance
        for key, hooks in self._cleanups.items():
            # The key is an id: if our code is gone already, another object may have it now.
            if cleaning.values.get(key) is hooks:
                cleaning._remove_id(key)
        for hook, value in self._hooks:  # of attempts that failed
            if hook.scope.get(hook.name) is value:
                hook()

    def _count_back(self) -> None:
        """Restore the numbers of frames, if nobody else compiled in the meantime.

        In that case the modules that Dynamo put among the function's globals are removed too.
        """
        attempts = self._first_attempts + self._attempts.total()
        now = private.frame_counter, sum(private.frame_compile_counter.values())
        if now == (self._first_frame + self._frames, attempts):
            private.assign("frame_counter", self._first_frame)
            for scope, alias in self._aliases:
                scope.pop(alias, None)
        counts = private.frame_compile_counter
        for number, attempts in self._attempts.items():
            counts[number] -= attempts
            if counts[number] <= 0:
                del counts[number]


def _aliases(scope: dict[str, Any]) -> set[str]:
    """The names of modules that Dynamo has put among a function's globals."""
    return {name for name in list(scope) if name.startswith("__import_")}
