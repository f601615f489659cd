"""The quantities of a program that a table can show, as text."""

from collections.abc import Callable
from dataclasses import dataclass

from jaxvstorch._hardware.analysis import Analysis
from jaxvstorch._hardware.inductor_code import Generated
from jaxvstorch._measure.durations import seconds
from jaxvstorch._table import NONE

_SPACE = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Quantity:
    """One kind of number.

    Attributes:
        xla: its text for what XLA compiled.
        inductor: its text for what Inductor wrote.
    """

    xla: Callable[[Analysis], str]
    inductor: Callable[[Generated], str] = lambda _: NONE


def amount(value: float | None) -> str:
    """A number of bytes with three digits; a dash for ``None``."""
    return NONE if value is None else _scaled(value, ("B", "kB", "MB", "GB", "TB"))


def count(value: float | None) -> str:
    """A large number of operations with three digits; a dash for ``None``."""
    return NONE if value is None else _scaled(value, ("", "thousand", "million", "billion"))


def _scaled(value: float, units: tuple[str, ...]) -> str:
    for power, unit in enumerate(units):
        scaled = value / 1000**power
        if scaled < 999.5 or unit == units[-1]:
            break
    digits = 0 if not power or scaled >= 99.95 else 1 if scaled >= 9.995 else 2
    return f"{scaled:.{digits}f}{_SPACE}{unit}".strip()


def _starred(text: str, analysis: Analysis) -> str:
    """Mark with a star what XLA counts with one step of each loop."""
    return f"{text} *" if analysis.loops and text != NONE else text


def _sent(analysis: Analysis) -> str:
    kinds = (f"{c.count} {c.kind}, {amount(c.bytes)}" for c in analysis.collectives)
    return "; ".join(kinds) or NONE


QUANTITIES = {
    "memory": Quantity(lambda program: amount(program.memory)),
    "arguments": Quantity(lambda program: amount(program.arguments)),
    "results": Quantity(lambda program: amount(program.outputs)),
    "reused": Quantity(lambda program: amount(program.aliased)),
    "temporaries": Quantity(lambda program: amount(program.temporaries)),
    "kernels": Quantity(
        lambda program: str(program.kernels), lambda code: str(code.kernels + code.library_calls)
    ),
    "loops": Quantity(lambda program: str(program.loops)),
    "library calls": Quantity(lambda _: NONE, lambda code: str(code.library_calls)),
    "moved": Quantity(
        lambda program: _starred(amount(program.bytes_accessed), program),
        lambda code: amount(code.bytes_accessed),
    ),
    "operations": Quantity(lambda program: _starred(count(program.flops), program)),
    "estimate": Quantity(lambda program: _starred(seconds(program.estimated_seconds), program)),
    "collectives": Quantity(lambda program: _starred(_sent(program), program)),
}
