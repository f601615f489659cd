"""The arrays of one run of a function: inputs, weights, and the result of each operation.

``port`` records too, and something else: the calls of Python's functions with their arguments, from
which it writes code. Here every operation below them counts, with its numbers and without what
called it, also inside compiled programs. Only the reader's lines are the same, and shared.
"""

import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from jaxvstorch._diff.storage import Storage

Array = np.ndarray[Any, Any]


class Kind(StrEnum):
    """What a value is in its run."""

    INPUT = "input"
    WEIGHT = "weight"
    CONSTANT = "constant"
    RESULT = "result"


class Stage(StrEnum):
    """The part of a run that a value belongs to."""

    FORWARD = "forward"
    BACKWARD = "backward"
    UPDATE = "update"  # what is computed from gradients


@dataclass(frozen=True)
class SourceLine:
    """A line of the reader's own code that was running."""

    file: str
    number: int
    function: str = ""

    @property
    def text(self) -> str:
        """Its source."""
        return linecache.getline(self.file, self.number).strip()


@dataclass(frozen=True)
class Operand:
    """In a recorded call, an array: its value's index, or itself where no value is known."""

    index: int


@dataclass(frozen=True)
class Value:
    """An array.

    Attributes:
        index: its position in the run; no value comes before those that it is computed from.
        kind: what it is.
        array: its numbers.
        name: of an input or a weight; of a result, the operation's.
        stack: the reader's lines that were running, outermost first.
        module: the path of the module that was running, such as ``blocks.0.norm``.
        parents: the indices of the values that it is computed from.
        call: the operation, with ``Operand`` in place of arrays: (function, args, kwargs) in
            PyTorch, (primitive, operands, parameters) in JAX.
        precise_to: the largest ``eps`` among the dtypes that it was computed in.
        fed: whether it depends on an input or a weight.
        inner: whether it is a step inside an operation.
        draws: whether the operation draws random numbers.
        stage: the part of the run that it belongs to.
    """

    index: int
    kind: Kind
    array: Array = field(repr=False)
    name: str = ""
    stack: tuple[SourceLine, ...] = ()
    module: str = ""
    parents: tuple[int, ...] = ()
    call: tuple[Any, Any, Any] | None = field(default=None, repr=False)
    precise_to: float = 0.0
    fed: bool = False
    inner: bool = False
    draws: bool = False
    stage: Stage = Stage.FORWARD

    @property
    def line(self) -> SourceLine | None:
        """The innermost of the reader's lines."""
        return self.stack[-1] if self.stack else None

    @cached_property
    def largest(self) -> float:
        """The largest finite magnitude; read once, for the array may lie in a file."""
        from jaxvstorch._diff.numbers import largest

        return largest(self.array)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the numbers may well be equal to another's by chance."""
        return is_plain(self.array)


@dataclass(frozen=True)
class Returned:
    """What a run returns: its place there, and its value's index."""

    place: str
    index: int
    is_update: bool = False  # a parameter after a training step


@dataclass
class Recording:
    """A run.

    Attributes:
        framework: ``"jax"`` or ``"torch"``.
        values: in the order of the run.
        outputs: what the function returned, in order.
        left_out: how many steps of loops were run without a look at their operations.
        raw: the framework's own arrays, by index, where a later run can take them over.
        after: of a training step, the indices of the weights' values after it, by name.
        ended: of a training step, what the side keeps for the next one.
        storage: of the arrays.
    """

    framework: str
    values: list[Value] = field(default_factory=list)
    outputs: list[Returned] = field(default_factory=list)
    left_out: int = 0
    raw: list[Any] = field(default_factory=list, repr=False)
    after: dict[str, int] = field(default_factory=dict)
    ended: Any = field(default=None, repr=False)
    storage: Storage = field(default_factory=Storage, repr=False)

    def add(
        self,
        kind: Kind,
        array: Array,
        *,
        backward: bool = False,
        rounded_to: float = 0.0,
        **rest: Any,
    ) -> Value:
        """Add a value, whose precision comes from its dtype and its parents.

        ``rounded_to`` is the ``eps`` of a number in the code that it is computed with.
        """
        parents = rest.get("parents", ())
        terms = [(self.values[i].precise_to, self.values[i]) for i in parents]
        is_later = any(self.values[i].stage != Stage.FORWARD for i in parents)
        stage = Stage.BACKWARD if backward else Stage.UPDATE if is_later else Stage.FORWARD
        given = kind in (Kind.INPUT, Kind.WEIGHT)
        constant = kind == Kind.CONSTANT and not is_plain(array)
        value = Value(
            len(self.values),
            kind,
            array,
            precise_to=max(rounded_to, carried(rest.get("name", ""), array, terms)),
            fed=given or constant or any(self.values[i].fed for i in parents),
            stage=stage,
            **rest,
        )
        self.values.append(value)
        return value

    def precision_after(self, index: int, exact: Callable[[int], bool]) -> float:
        """``precise_to``, where some of the values before one count as without error.

        Args:
            index: of the value.
            exact: whether a value does.
        """
        found: dict[int, float] = {}
        pending = [index]
        while pending:
            i = pending[-1]
            before = [p for p in self.values[i].parents if not exact(p)]
            missing = [p for p in before if p not in found]
            if len(found) + len(missing) > _NEAR:
                return self.values[index].precise_to
            if missing:
                pending += missing
                continue
            value = self.values[pending.pop()]
            found[i] = carried(
                value.name, value.array, [(found[p], self.values[p]) for p in before]
            )
        return found[index]

    def substitute(self, value: Value, array: Array, precise_to: float) -> None:
        """Let a value have other numbers from now on."""
        self.values[value.index] = replace(value, array=array, precise_to=precise_to)

    def ancestors(self, index: int) -> Iterator[Value]:
        """The values that one is computed from, the latest first."""
        pending, seen = set(self.values[index].parents), set[int]()
        while pending:
            pending.remove(latest := max(pending))
            seen.add(latest)
            yield self.values[latest]
            pending |= set(self.values[latest].parents) - seen


_NEAR = 64  # values whose precision is followed back
_ADDS = {"add", "add_", "add_any", "rsub", "sub", "sub_"}


def carried(name: str, array: Array, terms: Sequence[tuple[float, Value]]) -> float:
    """How precise the result of an operation is, relative to its largest number.

    Args:
        name: of the operation.
        array: its result.
        terms: of each operand, how precise it is, and its value.
    """
    from jaxvstorch._diff.numbers import largest

    own = eps_of(array)
    top = max((eps for eps, _ in terms), default=0.0)
    if top <= own:
        return own
    if name in _ADDS and (whole := largest(array)):
        # What a small term lacks is little of the sum.
        return max(own, min(1.0, max(eps * term.largest for eps, term in terms) / whole))
    return top


_FEW = 8
_MANY = 64
_STEPS = 64  # multiples of 1/64 are numbers that people write


def is_plain(array: Array) -> bool:
    """Whether the numbers of an array may well be equal to another's by chance.

    So they may in a mask, in what has one number everywhere, and in a few simple numbers.
    """
    if array.size == 0 or array.dtype.kind == "b":
        return True
    with np.errstate(invalid="ignore", over="ignore"):
        if array.size < _FEW:
            if array.dtype.kind not in "fc":
                return True
            scaled = np.asarray(array, np.complex128) * _STEPS
            return not (np.isfinite(scaled) & (scaled != np.round(scaled))).any()
        if array.size > _MANY and not is_plain(array.ravel()[:_MANY]):
            return False
        rest = array[array != array.flat[0]]
        return rest.size == 0 or bool((rest == rest.flat[0]).all())


def eps_of(array: Array) -> float:
    """How far apart the numbers of a dtype are at 1; 0 where they are exact."""
    import ml_dtypes

    try:
        return float(ml_dtypes.finfo(array.real.dtype).eps)
    except ValueError:  # integers and booleans
        return 0.0
