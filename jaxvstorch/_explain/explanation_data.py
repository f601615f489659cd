"""The data of an explanation: programs, findings, and the compilers' stages."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jaxvstorch._explain.marks import Source


@dataclass(frozen=True)
class Stage:
    """One intermediate form of a program, as text.

    Attributes:
        program: the program's letter.
        name: such as ``"StableHLO"`` or ``"Inductor's code"``.
        text: the whole text.
    """

    program: str
    name: str
    text: str


@dataclass(frozen=True)
class Kernel:
    """One kernel: a piece of compiled code that runs as a whole.

    Attributes:
        program: the letter of its program.
        name: the compiler's name for it.
        operations: the operations fused into it, by the compiler's names.
        lines: ``(file, number)`` of the source lines it came from, if the compiler reports them.
    """

    program: str
    name: str
    operations: tuple[str, ...]
    lines: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Compiled:
    """What the compiler's later stages made; ``None`` means that the compiler does not report it.

    Attributes:
        stages: every form of every program, in order.
        kernels: the kernels that run.
        operations_before: operations before optimization, summed over the programs.
        operations_after: operations after it.
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
        operations: the number of operations in each part, as in ``Line.operations``.
        text: the jaxpr, or the FX graph's code.
        without_line: how many of them, in each part, name no line of the sources shown.
    """

    name: str
    operations: Mapping[str, int]
    text: str
    without_line: Mapping[str, int] = field(default_factory=dict)


FINDING_KINDS = ("break", "impure", "frozen", "guarded", "unrolled", "callback", "failed")


@dataclass(frozen=True)
class Finding:
    """Something the reader should know about one line.

    Attributes:
        kind: ``"break"``, ``"impure"``, ``"frozen"``, ``"guarded"``, ``"unrolled"``,
            ``"callback"`` or ``"failed"``.
        file: the file of the line.
        line: the number of the line; 0 if it is not known.
        what: one sentence: what happens there.
        cure: one sentence: what to do about it; may be empty.
        page: the page of the book about it, such as ``"purity"``; may be empty.
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
        function: the function's name.
        framework: ``"jax"`` or ``"torch"``.
        arguments: short descriptions, such as ``"f32[8]"`` or ``"activation='relu'"``.
        sources: the function's own source first, then those of functions that it called.
        programs: the programs compiled, in order.
        findings: breaks, impurities, frozen and guarded values, unrolled loops, callbacks and
            errors, in the order of lines.
        missing: parts that could not be explained, and why.
        ran: how often the function's own lines ran, in words.
        compiled: the later stages, if asked for: see ``with_stages``.
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
