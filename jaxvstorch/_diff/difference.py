"""What ``diff`` returns: are two implementations the same, and if not, where do they part?"""

import math
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Any

from jaxvstorch._diff.recording import SourceLine


@dataclass(frozen=True)
class Place:
    """Where one side parts from the other.

    Attributes:
        side: the side's title.
        stack: the reader's lines that led to the operation, outermost first.
        module: the path of the module, such as ``blocks.0.norm``.
        operations: what it does between what both have and the value that differs.
        numbers: some of that value's, and its shape.
        then: the line that goes on, where the side leaves out what the other does.
        begins: the line where an operand begins that the other side lacks, such as a mask.
    """

    side: str
    stack: tuple[SourceLine, ...]
    module: str
    operations: tuple[str, ...]
    numbers: str
    then: SourceLine | None = None
    begins: SourceLine | None = None

    @property
    def line(self) -> SourceLine | None:
        """The innermost of the lines."""
        return self.stack[-1] if self.stack else None


class Origin(StrEnum):
    """What a difference of two training steps comes from."""

    FORWARD = "forward pass"
    GRADIENT = "gradient"
    RULE = "optimizer's rule"
    STATE = "optimizer's state"
    SCHEDULE = "schedule"
    RANDOM = "random numbers"


@dataclass(frozen=True)
class Difference:
    """One place where the sides part.

    Attributes:
        places: of both sides.
        cause: a sentence; empty where nothing that was tried gives the other side's numbers.
        effect: how far the second side's outputs move with the first's numbers here: the largest
            change, relative to the largest number of that output.
        again: the modules, or lines, at which the same lines part once more.
        origin: in a training step, what it comes from.
    """

    places: tuple[Place, Place]
    cause: str
    effect: float = float("nan")
    again: tuple[str, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True)
class Counted:
    """How many of one side's intermediate values have a counterpart."""

    side: str
    matched: int
    values: int


@dataclass(frozen=True)
class Output:
    """How far an output of the two sides is apart, in the dtypes that they have.

    Attributes:
        place: in what the functions returned; empty for the only array.
        gap: the largest difference, relative to the largest number.
        roundings: the same in units of the coarser dtype's ``eps``; NaN of integers.
        shape: the first side's.
        shape_second: the second's.
    """

    place: str
    gap: float
    roundings: float
    shape: tuple[int, ...]
    shape_second: tuple[int, ...]


@dataclass(frozen=True)
class Growth:
    """How far a value of both sides is apart in their own dtypes, though its operation agrees.

    Attributes:
        depth: the number of the first side's operation, from 0 at the inputs to 1 at the end.
        roundings: the largest difference, relative to the largest number, in units of ``eps``.
        module: the path of the first side's module.
        line: the first side's.
    """

    depth: float
    roundings: float
    module: str
    line: SourceLine | None


@dataclass(frozen=True, repr=False)
class Diff:
    """Whether two implementations are the same.

    Attributes:
        differences: in the order of the run.
        outputs: how far they are apart as the sides are, not in float64.
        counted: of both sides.
        dtype: in which the operations were compared.
        notes: what else there is to know, such as weights that were carried over.
        growth: the values that are further apart than all before them, each at least twice as far.
        steps: the number of training steps that were asked for; 0 where none were.
        step: the one that the report is about: the first that parts, or else the last.
    """

    differences: tuple[Difference, ...]
    outputs: tuple[Output, ...]
    counted: tuple[Counted, Counted]
    dtype: str
    notes: tuple[str, ...] = field(default=())
    growth: tuple[Growth, ...] = ()
    steps: int = 0
    step: int = 0

    @property
    def same(self) -> bool:
        """Whether each operation that outputs depend on agrees, on the first side's numbers."""
        return not self.differences

    def __str__(self) -> str:
        from jaxvstorch._diff.rendering.text import lines

        return "\n".join(lines(self))

    def _repr_html_(self) -> str:
        from jaxvstorch._diff.rendering.html import fragment

        return fragment(self)

    def __repr__(self) -> str:
        number = len(self.differences)
        verdict = "same" if self.same else f"{number} difference{'s' * (number != 1)}"
        return f"<Diff: {verdict}>"

    def require(self) -> None:
        """Raise ``AssertionError`` with the whole report unless the sides are the same."""
        if not self.same:
            raise AssertionError(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON report; a number that is not finite is ``None``."""
        data: dict[str, Any] = _plain(self)
        return {"schema": {"name": "jaxvstorch-diff", "version": 1}, "same": self.same, **data}


def _plain(value: Any) -> Any:
    """Data of JSON; an entry that a class lets be ``None`` is left out then."""
    if isinstance(value, SourceLine):
        line = {"file": value.file, "line": value.number, "function": value.function}
        return {**line, "source": value.text}
    if is_dataclass(value):
        entries = {entry.name: getattr(value, entry.name) for entry in fields(value)}
        return {name: _plain(entry) for name, entry in entries.items() if entry is not None}
    if isinstance(value, tuple):
        return [*map(_plain, value)]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
