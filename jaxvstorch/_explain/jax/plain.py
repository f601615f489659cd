"""A function that is not compiled: what is put around it, and what it compiles as it is."""

import re
import sys
from pathlib import Path
from types import MethodType
from typing import Any

import jax
import numpy as np

from jaxvstorch._explain.jax.watch import COMPILED, Reports, explained
from jaxvstorch._explain.ledger_cures import AS_IT_IS, Why
from jaxvstorch._explain.python.unwrap import original

_CONTROL_FLOW = {"scan", "while", "cond"}  # programs that are named after what made them
_NEVER_SEEN = re.compile(
    r" at (.+?):(\d+)(?::\d+)? \(.*\):\n +never seen function:\n +(.+?) id=\d+(?: defined at (.+))?"
)


def compiled(function: Any, values: tuple[Any, ...]) -> tuple[Any, str]:
    """A function, compiled as its library would have it, and the name of what was put around it.

    Args:
        function: which is not compiled.
        values: the arguments of its first call.
    """
    owner = getattr(function, "__self__", function)
    if _is_any((owner, *values), "equinox", "Module"):
        return sys.modules["equinox"].filter_jit(function), "equinox.filter_jit"
    if _is_any((owner, *values), "flax.nnx", "Module"):
        jit = sys.modules["flax.nnx"].jit
        if not _is_any((owner,), "flax.nnx", "Module"):
            return jit(function), "flax.nnx.jit"
        method = function.__func__ if owner is not function else type(function).__call__
        return MethodType(jit(method), owner), "flax.nnx.jit"
    return jax.jit(function), "jax.jit"


def _is_any(values: tuple[Any, ...], library: str, kind: str) -> bool:
    """Whether one of some values is of a class of a library, which is imported then."""
    base = getattr(sys.modules.get(library), kind, None)
    return isinstance(base, type) and any(isinstance(value, base) for value in values)


class AsCalled:
    """Calls a function as it is, and says what it compiles again that was compiled before."""

    def __init__(self, function: Any, name: str) -> None:
        """``name`` is what was put around the function for the other counts."""
        self._function, self._around = function, name
        self._file = getattr(getattr(original(function), "__code__", None), "co_filename", "")
        self._calls: list[tuple[list[Any], set[str], set[tuple[str, ...]]]] = []

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Why]:
        """What one call compiled again; it gets copies, because it may donate its arguments."""
        try:
            leaves = jax.tree.leaves((args, kwargs))
            copies = jax.tree.map(_copy, (args, kwargs))
            with Reports() as reports, explained() as log:
                jax.block_until_ready(self._function(*copies[0], **copies[1]))
        except Exception:  # the call that is compiled shows its own error
            return []
        names = [name for event, name in reports.events if event == COMPILED]
        programs = {name.removeprefix("jit(").removesuffix(")") for name in names}
        new = {match.groups("") for text in log.messages for match in _NEVER_SEEN.finditer(text)}
        whys = self._whys(leaves, programs, new)
        self._calls.append((leaves, programs, new))
        return whys

    def _whys(self, leaves: list[Any], programs: set[str], new: set[tuple[str, ...]]) -> list[Why]:
        before = {name for _, names, _ in self._calls for name in names} & programs
        texts = {}
        for file, line, name, defined in sorted(new):
            was_new = any((file, line, name, defined) in others for *_, others in self._calls)
            if was_new and (again := before & {name, *_CONTROL_FLOW}):
                where = f"line {line}" if file == self._file else f"{Path(file).name}:{line}"
                for program in again:
                    texts[program] = f"{name} at {where} is a new function in each call"
        for old, names, _ in self._calls:
            if _are_equal(old, leaves):
                texts = {**dict.fromkeys(sorted(names & programs), ""), **texts}
        if not texts:
            return []
        compiles = f"{AS_IT_IS} {self._around} it compiles {', '.join(texts)} again"
        reasons = "; ".join(dict.fromkeys(filter(None, texts.values())))
        return [Why(f"{compiles}: {reasons}" if reasons else compiles, self._cure)]

    @property
    def _cure(self) -> str:
        return f"Wrap it in {self._around}, or make what it compiles once, outside the function."


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, jax.Array) else value


def _are_equal(old: list[Any], new: list[Any]) -> bool:
    """Whether two calls have the same arguments, in values too."""
    try:
        return len(old) == len(new) and all(map(_is_equal, old, new))
    except Exception:  # what cannot be compared, or a donated array
        return False


def _is_equal(old: Any, new: Any) -> bool:
    if old is new:
        return True
    if not isinstance(new, jax.Array | np.ndarray):
        return type(old) is type(new) and bool(old == new)
    return old.dtype == new.dtype and np.array_equal(np.asarray(old), np.asarray(new))
