"""What ``explain`` found, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jaxvstorch._explain.compiled import Compiled
from jaxvstorch._explain.marks import Source


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
