"""The entries of a results file: machine, device, session, record."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Seconds = Annotated[float, Meta(ge=0)]
MoreThanZero = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(ge=0)]
Call = tuple[str, str, int, str, str]  # topic, name, size, framework, mode
Date = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d")]


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all parts of a file: unknown fields are refused."""


class Header(Entry, frozen=True):
    """What this file is."""

    name: Literal["jaxvstorch-benchmarks"] = "jaxvstorch-benchmarks"
    version: Literal[8] = 8


HEADER = Header()


class Gpu(Entry, frozen=True):
    """A GPU; ``memory_bytes`` is ``None`` where it shares the processor's memory."""

    name: str
    memory_bytes: Count | None


class Machine(Entry, frozen=True):
    """The machine. ``driver`` and ``gpus`` are ``None`` where they are not known."""

    cpu: str
    cores: Count
    memory_bytes: Count
    system: str
    driver: str | None
    gpus: tuple[Gpu, ...] | None


class Device(Entry, frozen=True):
    """What a framework computes on: ``"cpu"``, ``"gpu"`` or ``"tpu"``, and its CUDA version."""

    platform: str
    name: str
    cuda: str | None


class Session(Entry, frozen=True):
    """Once through all cases: when it ended, how many seconds it took, and the code's commit.

    ``others`` is how many cores other programs kept busy meanwhile; ``None`` where not known.
    """

    date: Date
    seconds: MoreThanZero
    commit: str
    others: Seconds | None = None


class Record(Entry, frozen=True, kw_only=True, omit_defaults=True):
    """One call in one session. Times are in seconds.

    Attributes:
        session: index into the file's ``sessions``.
        topic: the example's topic, or the group of a benchmark that is no example's.
        name: the function.
        size: what the topic's inputs were made for.
        framework: what computed.
        mode: ``"eager"``, ``"compiled"``, ``"compiled, synchronous"`` (JAX on a CPU, with no
            hand-off to another thread), or another way that a benchmark compares.
        seconds: per call, the least of the rounds: what else a machine does only ever adds time.
        rounds: how many rounds were timed.
        dtype: of the result.
        first_call: compiling included, in a fresh process; ``None`` where not measured.
        new_shape: the first call with another size, in that process.
        queued: where a GPU computes: per call, when many are asked for and the last is waited for;
            ``None`` where not measured.
        moved: bytes that a call must read and write at least, where its arguments are too large
            for a cache; 0 where not stated.
        operations: floating-point operations that a call must make; 0 where not stated.
        memory: bytes that a call needs at once, its arguments and results among them; 0 where not
            stated.
    """

    session: Count
    topic: str
    name: str
    size: Count
    framework: Literal["numpy", "jax", "torch"]
    mode: str
    seconds: MoreThanZero
    rounds: Count
    dtype: str = ""
    first_call: Seconds | None = None
    new_shape: Seconds | None = None
    queued: Seconds | None = None
    moved: Count = 0
    operations: Count = 0
    memory: Count = 0

    @property
    def call(self) -> Call:
        """What was timed."""
        return self.topic, self.name, self.size, self.framework, self.mode
