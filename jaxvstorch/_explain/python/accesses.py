"""How a function accesses what is outside it, and which functions of Python and NumPy do."""

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
from enum import StrEnum
from types import FrameType
from typing import Any

import numpy as np

from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import harmless


class AccessKind(StrEnum):
    """What an access does; ``findings`` has a sentence for each."""

    READ = "read"  # a variable from outside is read
    LARGE = "large"  # a variable from outside is read that makes a program large
    CONSTANT = "constant"  # a large array becomes part of a program that is no such variable
    WRITTEN = "written"  # a global or nonlocal is assigned
    CHANGED = "changed"  # an object from outside is changed
    CHANGED_COPY = "changed copy"  # a container that jax.jit made anew is changed
    CHANGED_IN_PLACE = "changed in place"  # a tensor of the caller is written by a graph
    CHANGED_IN_EAGER = "changed in eager mode"  # the same, where Inductor writes into a copy
    LEAKED = "leaked"  # an object outside holds a traced value
    OUTPUT = "output"  # something is printed
    LOG = "log"  # something is logged
    INPUT = "input"  # input is asked for
    CLOCK = "clock"  # the time is read
    RANDOM = "random"  # random numbers are drawn
    MISREAD = "misread"  # random numbers that Inductor reads in the wrong number of bits
    SEED = "seed"  # a generator of random numbers is seeded
    WARNING = "warning"  # a warning is issued
    TOKEN = "token"  # an identifier or a secret is made
    ENVIRONMENT = "environment"  # ``os.environ`` is read
    GETENV = "getenv"  # ``os.getenv`` is called
    FILE = "file"  # a file is read or written


@dataclass(frozen=True)
class Access:
    """One access to something outside the explained function.

    Attributes:
        kind: what it does.
        name: the name of the variable or function.
        location: the line.
        value: what was read or changed; ``None`` for the other kinds.
        owner: for a changed attribute, the name of the object from outside that it is inside.
        size: of what makes a program large, such as ``"36 MB"``.
    """

    kind: AccessKind
    name: str
    location: Location
    value: Any = field(default=None, compare=False)
    owner: str = ""
    size: str = ""


def without_repeats(accesses: Iterable[Access]) -> Iterator[Access]:
    """The accesses without repeated reads of one value in one file."""
    seen = set()
    for access in accesses:
        key = (access.name, access.location[0], id(access.value))
        if access.kind not in (AccessKind.READ, AccessKind.LARGE) or key not in seen:
            yield access
        seen.add(key)


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

# Their owner, the kind of access, and their names.
_FUNCTIONS: tuple[tuple[Any, AccessKind, tuple[str, ...]], ...] = (
    (builtins, AccessKind.OUTPUT, ("print",)),
    (pprint, AccessKind.OUTPUT, ("pprint", "pp")),
    (builtins, AccessKind.INPUT, ("input",)),
    (builtins, AccessKind.FILE, ("open",)),
    (io, AccessKind.FILE, ("open",)),
    (os, AccessKind.FILE, ("listdir", "scandir", "stat", "remove", "mkdir", "makedirs")),
    (os.path, AccessKind.FILE, ("exists", "isfile", "isdir", "getmtime", "getsize")),
    (np, AccessKind.FILE, _NUMPY_FILES),
    (os, AccessKind.ENVIRONMENT, ("environ",)),
    (os, AccessKind.GETENV, ("getenv",)),
    (time, AccessKind.CLOCK, _CLOCKS),
    (datetime.datetime, AccessKind.CLOCK, ("now", "utcnow", "today")),
    (datetime.date, AccessKind.CLOCK, ("today",)),
    (logging, AccessKind.LOG, _LOG),
    (warnings, AccessKind.WARNING, ("warn", "warn_explicit")),
    (uuid, AccessKind.TOKEN, ("uuid1", "uuid4")),
    (os, AccessKind.TOKEN, ("urandom", "getrandom")),
    (secrets, AccessKind.TOKEN, ("token_bytes", "token_hex", "token_urlsafe", "randbelow")),
)

# Methods, recognised by their code when they begin to run, because their object may be anything.
_METHODS: tuple[tuple[Any, AccessKind, tuple[str, ...]], ...] = (
    (pathlib.Path, AccessKind.FILE, _FILES),
    (logging.Logger, AccessKind.LOG, _LOG),
    (logging.LoggerAdapter, AccessKind.LOG, _LOG),
    (random.SystemRandom, AccessKind.RANDOM, _DRAWS),
)


def _functions_of(groups: Any) -> Iterator[tuple[Any, AccessKind]]:
    for owner, kind, names in groups:
        for name in names:
            value = harmless.attribute(owner, name)
            if value is not None:
                yield value, kind


# By id, so that nothing is compared; keeping the objects keeps their ids.
_KNOWN = {id(value): (kind, value) for value, kind in _functions_of(_FUNCTIONS)}
_BY_CODE = {
    id(value.__code__): (kind, value)
    for value, kind in _functions_of(_METHODS)
    if isinstance(value, types.FunctionType)
}


def generators() -> dict[str, Any]:
    """The generators that Python and NumPy draw from by default."""
    return {"random": random.random.__self__, "numpy.random": np.random.random.__self__}  # type: ignore[attr-defined]


def access_kind(value: Any) -> AccessKind | None:
    """The kind of access that calling or reading a value is; ``None`` if it is none."""
    known = _KNOWN.get(id(value))
    if known is None and harmless.is_a(value, types.BuiltinMethodType, types.MethodType):
        return attribute_access_kind(value.__self__, value.__name__)
    return known[0] if known else None


def attribute_access_kind(owner: Any, name: str) -> AccessKind | None:
    """The same for a method or another attribute of an object."""
    if is_stream(owner):
        return AccessKind.OUTPUT if name in ("write", "writelines") else None
    is_shared = any(owner is generator for generator in generators().values())
    if is_shared or harmless.is_a(owner, random.SystemRandom):
        return AccessKind.SEED if name in _SEEDS else AccessKind.RANDOM
    known = _KNOWN.get(id(harmless.attribute(owner, name)))
    return known[0] if known else None


def is_stream(value: Any) -> bool:
    """Whether the value is standard output or standard error."""
    return any(value is s for s in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))


def frame_access(frame: FrameType) -> tuple[AccessKind, str] | None:
    """The kind of access that a library's function that begins to run is, and its name."""
    known = _BY_CODE.get(id(frame.f_code))
    if known is None:
        return None
    kind, function = known
    if kind is AccessKind.RANDOM and not harmless.is_a(
        frame.f_locals.get("self"), random.SystemRandom
    ):
        return None  # any other generator starts with the same numbers each time, or is watched
    return kind, function.__qualname__
