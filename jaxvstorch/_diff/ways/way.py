"""One way in which an operation can differ."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Arguments = dict[str, Any]
_REDUCTIONS = {0: "'none'", 1: "'mean'", 2: "'sum'"}  # as ATen has them


@dataclass(frozen=True)
class Way:
    """One way.

    Attributes:
        here: what the operation has, such as ``eps=1e-05``.
        there: what the other side would have.
        compute: gives its numbers.
    """

    here: str
    there: str
    compute: Callable[..., Any]


def changed(function: Any, arguments: Arguments, key: str, other: Any) -> Way:
    """A call with another value for one argument."""

    def compute() -> Any:
        return function(**{**arguments, key: other})

    here, there = (
        _REDUCTIONS[value] if key == "reduction" else text_of(value)
        for value in (arguments[key], other)
    )
    return Way(f"{key}={here}", f"{key}={there}", compute)


def text_of(value: Any) -> str:
    """A value as a sentence has it."""
    return f"{value:g}" if isinstance(value, float) else repr(value)
