"""Tells a ledger what Dynamo does in this thread: what it looks up, compiles and refuses."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from jaxvstorch._explain.torch.dynamo_cache import programs_kept
from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import torch as private


class Listener:
    """Hears what Dynamo does in this thread, inside ``listening``.

    If PyTorch lacks the private name for one of these, the method is never called.
    """

    def looked_up(self, is_hit: bool) -> None:
        """Called when a frame was looked up among its kept programs; ``is_hit``: one fitted."""

    def begun(self, frame: Any, kept: list[Any]) -> None:
        """Called when a frame is about to be compiled; ``kept`` are its programs so far."""

    def limited(self, limit: str) -> None:
        """Called when the frame of the last ``begun`` is not compiled: it reached ``limit``."""


def supports(*names: str) -> bool:
    """Whether this version of PyTorch has these private names, so that listeners are called."""
    try:
        return all(private.NAMES[name].get() for name in names)
    except MissingNameError:
        return False


_listeners: list[tuple[int, Listener]] = []
_listening = threading.Lock()
_replaced: dict[str, Any] = {}


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener``; ledgers in several threads do not disturb each other."""
    mine = (threading.get_ident(), listener)
    with _listening:
        if not _listeners:
            _replace()
        _listeners.append(mine)
    try:
        yield
    finally:
        with _listening:
            _listeners.remove(mine)
            if not _listeners:
                _restore()


def _here() -> list[Listener]:
    return [listener for thread, listener in _listeners if thread == threading.get_ident()]


def _replace() -> None:
    for name, replacement in (
        ("compute_cache_size", _begun),
        ("exceeds_recompile_limit", _limited),
    ):
        with suppress(MissingNameError):
            _replaced[name] = private.NAMES[name].get()
            private.assign(name, functools.partial(replacement, _replaced[name]))
    with suppress(MissingNameError):
        _replaced["hook"] = private.set_guard_complete_hook(_looked_up)


def _restore() -> None:
    if "hook" in _replaced:
        private.set_guard_complete_hook(_replaced.pop("hook"))
    for name in list(_replaced):
        private.assign(name, _replaced.pop(name))


def _looked_up(cache_hit: bool) -> bool:
    for listener in _here():
        listener.looked_up(cache_hit)
    before = _replaced.get("hook")
    return bool(before(cache_hit)) if before else cache_hit


def _begun(original: Any, frame: Any, entries: Any, *args: Any, **options: Any) -> Any:
    kept = entries if isinstance(entries, list) else programs_kept(frame.f_code)
    for listener in _here():
        listener.begun(frame, kept)
    return original(frame, entries, *args, **options)


def _limited(original: Any, *args: Any, **options: Any) -> Any:
    is_met, limit = original(*args, **options)
    for listener in _here() if is_met else ():
        listener.limited(limit)
    return is_met, limit
