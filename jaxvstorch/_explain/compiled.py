"""What the compilers' later stages made of a function, as plain data."""

from dataclasses import dataclass


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
