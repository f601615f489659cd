"""The functions of Python and NumPy that touch the world outside, and how they do so."""

import builtins
import datetime
import io
import logging
import os
import pathlib
import pprint
import random
import secrets
import sys
import time
import types
import uuid
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from jaxvstorch._explain.observations import Place
from jaxvstorch._explain.python import harmless


@dataclass(frozen=True)
class Touch:
    """One touch of the world outside.

    Attributes:
        kind: ``"read"``, ``"written"``, ``"changed"``, ``"changed copy"``, ``"changed in place"``,
            ``"leaked"``, ``"output"``, ``"log"``, ``"input"``, ``"clock"``, ``"random"``,
            ``"misread"``, ``"seed"``, ``"warning"``, ``"token"``, ``"environment"``, ``"getenv"``
            or ``"file"``; ``findings`` says what each means.
        name: of the variable or function.
        place: the line.
        value: what was read or changed; ``None`` for the other kinds.
    """

    kind: str
    name: str
    place: Place
    value: Any = field(default=None, compare=False)


def once(touches: Iterable[Touch]) -> Iterator[Touch]:
    """Each touch, but only the first where several lines of a file read the same value."""
    told = set()
    for touch in touches:
        key = (touch.name, touch.place[0], id(touch.value))
        if touch.kind != "read" or key not in told:
            yield touch
        told.add(key)


_LOG = ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log")
_CLOCKS = (
    "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns",
    "process_time", "process_time_ns", "thread_time", "thread_time_ns", "clock_gettime", "gmtime",
    "localtime", "ctime", "asctime", "strftime",
)  # fmt: skip
_FILES = (
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "exists", "is_file", "is_dir",
    "iterdir", "glob", "stat", "touch", "mkdir", "unlink", "rename",
)  # fmt: skip
_DRAWS = (
    "random", "uniform", "randint", "randrange", "randbytes", "getrandbits", "choice", "choices",
    "sample", "shuffle", "gauss", "normalvariate", "expovariate", "betavariate", "triangular",
)  # fmt: skip
_SEEDS = ("seed", "setstate", "set_state")
_NUMPY_FILES = ("load", "loadtxt", "genfromtxt", "save", "savez", "savetxt")

# Where they are, how they touch the world, and their names.
_DEALINGS: tuple[tuple[Any, str, tuple[str, ...]], ...] = (
    (builtins, "output", ("print",)),
    (pprint, "output", ("pprint", "pp")),
    (builtins, "input", ("input",)),
    (builtins, "file", ("open",)),
    (io, "file", ("open",)),
    (os, "file", ("listdir", "scandir", "stat", "remove", "mkdir", "makedirs")),
    (os.path, "file", ("exists", "isfile", "isdir", "getmtime", "getsize")),
    (np, "file", _NUMPY_FILES),
    (os, "environment", ("environ",)),
    (os, "getenv", ("getenv",)),
    (time, "clock", _CLOCKS),
    (datetime.datetime, "clock", ("now", "utcnow", "today")),
    (datetime.date, "clock", ("today",)),
    (logging, "log", _LOG),
    (warnings, "warning", ("warn", "warn_explicit")),
    (uuid, "token", ("uuid1", "uuid4")),
    (os, "token", ("urandom", "getrandom")),
    (secrets, "token", ("token_bytes", "token_hex", "token_urlsafe", "randbelow")),
)

# Methods, which are recognised by their code when they begin to run: their object may be anything.
_METHODS: tuple[tuple[Any, str, tuple[str, ...]], ...] = (
    (pathlib.Path, "file", _FILES),
    (logging.Logger, "log", _LOG),
    (logging.LoggerAdapter, "log", _LOG),
    (random.SystemRandom, "random", _DRAWS),
)


def _held(dealings: Any) -> Iterator[tuple[Any, str]]:
    for owner, kind, names in dealings:
        for name in names:
            found = harmless.attribute(owner, name)
            if found is not None:
                yield found, kind


# By identity, so that nothing is compared; the objects are kept, so that their identity is.
_KNOWN = {id(found): (kind, found) for found, kind in _held(_DEALINGS)}
_BY_CODE = {
    id(found.__code__): (kind, found)
    for found, kind in _held(_METHODS)
    if isinstance(found, types.FunctionType)
}


def generators() -> dict[str, Any]:
    """The generators that Python and NumPy draw from by default."""
    return {"random": random.random.__self__, "numpy.random": np.random.random.__self__}  # type: ignore[attr-defined]


def dealing(value: Any) -> str | None:
    """How calling or reading a value touches the world; ``None`` if it does not."""
    known = _KNOWN.get(id(value))
    if known is None and harmless.is_a(value, types.BuiltinMethodType, types.MethodType):
        return dealing_of(value.__self__, value.__name__)
    return known[0] if known else None


def dealing_of(owner: Any, name: str) -> str | None:
    """How a method or another attribute of an object does; ``None`` if it does not."""
    if is_stream(owner):
        return "output" if name in ("write", "writelines") else None
    is_shared = any(owner is generator for generator in generators().values())
    if is_shared or harmless.is_a(owner, random.SystemRandom):
        return "seed" if name in _SEEDS else "random"
    known = _KNOWN.get(id(harmless.attribute(owner, name)))
    return known[0] if known else None


def is_stream(value: Any) -> bool:
    """Whether the person who runs the program sees what is written to it."""
    return any(value is s for s in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))


def of_frame(frame: FrameType) -> tuple[str, str] | None:
    """How a library's function that begins to run touches the world, and its name."""
    known = _BY_CODE.get(id(frame.f_code))
    if known is None:
        return None
    kind, found = known
    if kind == "random" and not harmless.is_a(frame.f_locals.get("self"), random.SystemRandom):
        return None  # any other generator starts with the same numbers each time, or is watched
    return kind, found.__qualname__
