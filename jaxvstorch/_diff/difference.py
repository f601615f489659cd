"""What ``diff`` returns: are two implementations the same, and if not, where do they part?"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from jaxvstorch._diff.recording import Line


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
    stack: tuple[Line, ...]
    module: str
    operations: tuple[str, ...]
    numbers: str
    then: Line | None = None
    begins: Line | None = None

    @property
    def line(self) -> Line | None:
        """The innermost of the lines."""
        return self.stack[-1] if self.stack else None


@dataclass(frozen=True)
class Difference:
    """One place where the sides part.

    Attributes:
        places: of both sides.
        cause: a sentence; empty where nothing that was tried gives the other side's numbers.
        effect: how far the first output moves if the first side gets the second's numbers here,
            relative to its largest; NaN where that cannot be run.
        again: the modules, or lines, at which the same lines part once more.
    """

    places: tuple[Place, Place]
    cause: str
    effect: float = float("nan")
    again: tuple[str, ...] = ()


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
        roundings: the same in units of the coarser dtype's ``eps``.
        shape: the first side's.
        shape_second: the second's.
    """

    place: str
    gap: float
    roundings: float
    shape: tuple[int, ...]
    shape_second: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class Diff:
    """Whether two implementations are the same.

    Attributes:
        differences: in the order of the run.
        outputs: how far they are apart as the sides are, not in float64.
        counted: of both sides.
        dtype: in which the operations were compared.
        notes: what else there is to know, such as weights that were carried over.
    """

    differences: tuple[Difference, ...]
    outputs: tuple[Output, ...]
    counted: tuple[Counted, Counted]
    dtype: str
    notes: tuple[str, ...] = field(default=())

    @property
    def same(self) -> bool:
        """Whether every operation agrees, each on the first side's own numbers."""
        return not self.differences

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        number = len(self.differences)
        verdict = "same" if self.same else f"{number} difference{'s' * (number != 1)}"
        return f"<Diff: {verdict}>"

    def require(self) -> None:
        """Raise ``AssertionError`` with the whole report unless the sides are the same."""
        if not self.same:
            raise AssertionError(str(self))

    def _lines(self) -> Iterator[str]:
        if self.same:
            yield f"the same: each operation agrees in {self.dtype}"
        else:
            number = len(self.differences)
            yield f"different in {number} place{'s' * (number != 1)}"
        outputs = sorted(self.outputs[_SHOWN:], key=lambda output: -output.gap)
        for output in [*self.outputs[:_SHOWN], *outputs[:1]]:
            yield f"  {_output_text(output)}"
        if len(outputs) > 1:
            yield f"  and {len(outputs) - 1} more outputs, which are nearer to each other"
        for count in self.counted:
            yield f"  {count.side}: {count.matched} of {count.values} values have a counterpart"
        yield from (f"  {note}" for note in self.notes)
        for number, difference in enumerate(self.differences, 1):
            yield ""
            yield from _difference_lines(number, difference)


_SHOWN = 4


def _difference_lines(number: int, difference: Difference) -> Iterator[str]:
    head = f"{number}."
    for place in difference.places:
        line = place.line
        where = _short(line) if line else "(no line)"
        yield f"{head:<3} {place.side:<8} {where}"
        head = ""
        callers = [f"{os.path.basename(x.file)}:{x.number}" for x in reversed(place.stack[:-1])]
        inside = f"in {place.module}" if place.module else ""
        called = f"called from {', '.join(callers)}" if callers else ""
        about = "; ".join(text for text in (inside, called) if text)
        if about:
            yield f"{'':13}{about}"
        for what, other in (("goes on at", place.then), ("with what begins at", place.begins)):
            if other is not None and other != line:
                yield f"{'':13}{what} {_short(other)}"
        yield f"{'':13}{' → '.join(place.operations)}: {place.numbers}"
    if difference.cause:
        yield f"    cause    {difference.cause}"
    else:
        yield "    cause    unknown: nothing that was tried gives the second side's numbers"
    if difference.effect == difference.effect:
        yield f"    effect   {difference.effect:.2g} of the first output's largest number"
    if difference.again:
        yield f"    again    {len(difference.again)} more: {', '.join(difference.again[:4])}"


def _output_text(output: Output) -> str:
    name = f"output {output.place}".strip()
    if output.shape != output.shape_second and output.gap == float("inf"):
        return f"{name}: shape {output.shape} and {output.shape_second}"
    turned = "" if output.shape == output.shape_second else ", with axes in another order"
    return f"{name}: {output.gap:.2g} apart, {output.roundings:.3g} roundings of its dtype{turned}"


def _short(line: Line) -> str:
    return f"{os.path.basename(line.file)}:{line.number}  {line.text}"
