"""What ``explain`` found: a function's lines and what became of each, as plain data."""

import importlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from types import ModuleType
from typing import Any

from jaxvstorch.explainer.compiled import Compiled
from jaxvstorch.explainer.taking_turns import LOCK

SCHEMA = "jaxvstorch-explanation"
VERSION = 1


class Mark(StrEnum):
    """What became of a line. A line that several things happened to has the first of these."""

    FAILED = "failed"  # tracing, or the function itself, ended here with an error
    PYTHON = "python"  # Python runs it on every call, outside of what was compiled
    GRAPH = "graph"  # operations in a compiled program
    TRACED = "traced"  # it ran, or was read, while tracing, and left nothing in the program
    NOT_REACHED = "not reached"  # not for these arguments: the compiler never knew it
    BLANK = ""  # no statement begins here: blank, a comment, a docstring, the rest of a statement


@dataclass(frozen=True)
class Line:
    """One line of source. What a statement over several lines did stands on its first.

    Attributes:
        number: in its file, from 1.
        text: without the line's end.
        mark: what became of it.
        operations: how many operations by place: ``"A"``, or ``"A: scan body"`` for a part of a
            program. Those of functions that it calls are included.
        visits: how often it was traced in one run of its function; more than once means that a
            Python loop around it was unrolled. The header of a loop counts once.
    """

    number: int
    text: str
    mark: Mark = Mark.BLANK
    operations: Mapping[str, int] = field(default_factory=dict)
    visits: int = 0


@dataclass(frozen=True)
class Source:
    """One function's source.

    Attributes:
        name: qualified.
        file: its path.
        runs: how often it was traced from its first line.
        lines: from the first line to the last.
    """

    name: str
    file: str
    runs: int
    lines: tuple[Line, ...]


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


def _terminal() -> ModuleType:
    """The renderers for a terminal; they read this module.

    Rich draws random numbers when it is imported. The reader's own draws shall not change by that.
    """
    state = random.getstate()
    try:
        return importlib.import_module("jaxvstorch.explainer.terminal")
    finally:
        random.setstate(state)


@dataclass(frozen=True, repr=False)
class Explanation:
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
    # Compiles the programs; kept apart, since compiling takes longer than all the rest.
    compile: Callable[[], Compiled] | None = field(default=None, repr=False, compare=False)

    def with_stages(self) -> "Explanation":
        """The same with ``compiled``: the programs compiled, and looked at stage by stage."""
        if self.compiled is not None or self.compile is None:
            return self
        with LOCK:
            compiled = self.compile()
        return replace(self, compiled=compiled, missing=(*self.missing, *compiled.missing))

    def marks(self, name: str | None = None) -> list[str]:
        """One text per statement of one source, such as ``"A1"`` or ``"not reached"``.

        Args:
            name: of the source; the first where not given. Without any source there are no marks.

        Raises:
            LookupError: no function of that name was traced.
        """
        if name is None and not self.sources:
            return []
        source = self.sources[0] if name is None else self.source(name)
        return [f"{line.text.strip()}  # {describe(line)}" for line in source.lines if line.mark]

    def source(self, name: str) -> Source:
        """The source of a function, by its name or the last part of it.

        Raises:
            LookupError: no function of that name was traced.
        """
        for source in self.sources:
            if name in (source.name, source.name.rpartition(".")[2]):
                return source
        names = ", ".join(source.name for source in self.sources)
        raise LookupError(f"{name!r} is none of {names}" if names else f"no source, not {name!r}")

    def __str__(self) -> str:
        return str(_terminal().plain(self))

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Any:
        return _terminal().Rendering(self)

    def _repr_html_(self) -> str:
        from jaxvstorch.explainer.html import fragment

        return fragment(self)

    def found(self, kind: str) -> list[Finding]:
        """The findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, texts and numbers."""
        return {
            "schema": {"name": SCHEMA, "version": VERSION},
            **{f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name != "compile"},
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), indent=1)


def describe(line: Line) -> str:
    """What became of a line, in short: ``"A2"``, ``"A1, 3 in scan body"``, ``"not reached"``.

    >>> describe(Line(3, "y = x + 1", Mark.GRAPH, {"A": 1, "A: scan body": 3}))
    'A1, 3 in scan body'
    """
    parts: list[str] = []
    named = ""  # the program that the last part named
    for where, number in line.operations.items():
        program, _, part = where.partition(": ")
        inside = f"{number} in {part}" if program == named else f"{program}: {number} in {part}"
        parts.append(inside if part else f"{program}{number}")
        named = program
    if line.mark is Mark.GRAPH:
        return ", ".join(parts)
    return ", ".join([str(line.mark), *parts])


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value
