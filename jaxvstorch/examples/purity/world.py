"""The world outside the purity examples: what they can read there, and what they leave there."""

import inspect
import io
import os
import random
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

Function = Callable[..., Any]
FIRST, CHANGED = 2, 10


@dataclass
class Seen:
    """One call, as it looks from outside.

    Attributes:
        value: the numbers that it returned.
        printed: what it wrote to standard output.
        before: what an observer finds outside before the call.
        after: the same after it.
        started: seconds from the half's import to the call.
        ended: seconds from the half's import to the call's end.
        error: class of the error that the call raised, or that looking raised; empty if none.
    """

    value: list[float] = field(default_factory=list)
    printed: str = ""
    before: Any = None
    after: Any = None
    started: float = 0.0
    ended: float = 0.0
    error: str = ""


class World:
    """All that the functions of one half can read or write, apart from the clock and the output."""

    def __init__(self, half: ModuleType, folder: str) -> None:
        self.half = half
        self.stats: dict[str, Any] = {}
        self.path = Path(folder, "shift.txt")

    def become(self, number: int) -> None:
        """Set every number and seed outside to ``number``, and empty what was kept."""
        self.half.scale, self.half.calls = float(number), number  # type: ignore[attr-defined]
        self.half.kept.clear()
        os.environ["SHIFT"] = str(number)
        self.path.write_text(str(number), encoding="utf-8")
        random.seed(number)
        np.random.seed(number)

    def look(self) -> Any:
        """What the functions may have left outside, as numbers."""
        kept = [float(array.sum()) for array in self.half.kept]
        return self.half.calls, kept, [float(mean) for mean in self.stats.values()]


def three_calls(
    half: ModuleType,
    name: str,
    convert: Function = np.asarray,
    compile: Function | None = None,
) -> list[Seen]:
    """Call a function of one half twice in one world, and once after it has changed.

    Args:
        half: a module of this folder.
        name: the function's name.
        convert: turns a NumPy array into an array of that half.
        compile: compiles a function, given the names of its static arguments.
    """
    function = _copy(getattr(half, name))
    parameters = inspect.signature(function).parameters
    if compile:
        function = compile(function, ["path"] if "path" in parameters else [])
    seen = []
    with _kept_as_it_is(half), tempfile.TemporaryDirectory() as folder:
        world = World(half, folder)
        for number in (FIRST, None, CHANGED):
            if number is not None:
                world.become(number)
            world.stats = {}
            known = {"x": convert(np.arange(4, dtype=np.float32)), "stats": world.stats}
            known["path"] = str(world.path)
            seen.append(_watch(world, function, [known[p] for p in parameters]))
    return seen


def _watch(world: World, function: Function, arguments: list[Any]) -> Seen:
    seen, output = Seen(), io.StringIO()
    try:
        seen.before = world.look()
        seen.started = time.time() - world.half.started
        # torch.compile warns of a call that it cannot trace, and then makes the call anyway.
        with redirect_stdout(output), warnings.catch_warnings(action="ignore"):
            value = function(*arguments)
        seen.ended = time.time() - world.half.started
        seen.value = np.asarray(value).ravel().tolist()
        seen.after = world.look()
    except Exception as error:  # the caller wants to know which error it was
        seen.error = type(error).__name__
    seen.printed = output.getvalue()
    return seen


def _copy(function: Any) -> Function:
    """A copy of the function: compilers remember functions and code objects that they have seen."""
    code = function.__code__.replace()
    copy = types.FunctionType(
        code, function.__globals__, function.__name__, None, function.__closure__
    )
    copy.__dict__.update(function.__dict__)
    return copy


@contextmanager
def _kept_as_it_is(half: ModuleType) -> Iterator[None]:
    """Put back whatever a block changes in the world."""
    globals_ = {name: getattr(half, name) for name in ("scale", "calls")}
    kept, shift = list(half.kept), os.environ.get("SHIFT")
    states = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        vars(half).update(globals_)
        half.kept[:] = kept
        os.environ.pop("SHIFT", None)
        if shift is not None:
            os.environ["SHIFT"] = shift
        random.setstate(states[0])
        np.random.set_state(states[1])
