"""What an explanation holds, as plain data: programs, findings, and the compilers' stages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jaxvstorch._explain.marks import Source


@dataclass(frozen=True)
class Stage:
    """One form that a program takes on its way, as text.

    Attributes:
        program: its letter.
        name: such as ``"StableHLO"`` or ``"Inductor's code"``.
        text: all of it.
    """

    program: str
    name: str
    text: str


@dataclass(frozen=True)
class Kernel:
    """One piece of compiled code that runs as a whole.

    Attributes:
        program: the letter of its program.
        name: the compiler's.
        operations: what was fused into it, by the compiler's names.
        lines: ``(file, number)`` of the lines of own code that it came from, where the compiler
            says so.
    """

    program: str
    name: str
    operations: tuple[str, ...]
    lines: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Compiled:
    """What the compiler's later stages made. ``None`` means that the compiler does not report it.

    Attributes:
        stages: every form of every program, in order.
        kernels: what runs in the end.
        operations_before: before optimisation, summed over the programs.
        operations_after: after it.
        flops: floating-point operations of one call.
        bytes_accessed: bytes read and written in one call.
        temporary_bytes: memory needed beyond arguments and results.
        missing: what could not be compiled, and why.
    """

    stages: tuple[Stage, ...]
    kernels: tuple[Kernel, ...]
    operations_before: int | None = None
    operations_after: int | None = None
    flops: float | None = None
    bytes_accessed: float | None = None
    temporary_bytes: int | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """One compiled program: JAX makes one, PyTorch one per graph.

    Attributes:
        name: a letter.
        operations: how many by place, as in ``Line.operations``.
        text: the jaxpr, or the FX graph's code.
        without_line: how many of these operations name no line of the sources shown, by place.
    """

    name: str
    operations: Mapping[str, int]
    text: str
    without_line: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """Something that the reader should know, seen at one line.

    Attributes:
        kind: ``"break"``, ``"impure"``, ``"frozen"``, ``"guarded"``, ``"unrolled"``,
            ``"callback"`` or ``"failed"``.
        file: where.
        line: its number; 0 where it is not known.
        what: one sentence: what was seen.
        cure: one sentence: what to do; may be empty.
        page: of the book, such as ``"purity"``; may be empty.
    """

    kind: str
    file: str
    line: int
    what: str
    cure: str = ""
    page: str = ""


@dataclass(frozen=True)
class Facts:
    """What a compiler made of one function, called with some arguments.

    Attributes:
        function: its name.
        framework: ``"jax"`` or ``"torch"``.
        arguments: in short, such as ``"f32[8]"`` or ``"activation='relu'"``.
        sources: the function's own source first, then those of functions that it called.
        programs: what was compiled, in order.
        findings: breaks, impurities, frozen and guarded values, unrolled loops, callbacks and
            errors, in the order of lines.
        missing: parts that could not be explained, and why.
        ran: how often the function's own lines ran, in words.
        compiled: the later stages, where they were asked for: see ``with_stages``.
    """

    function: str
    framework: str
    arguments: tuple[str, ...]
    sources: tuple[Source, ...]
    programs: tuple[Program, ...]
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    ran: str = ""
    compiled: Compiled | None = None
