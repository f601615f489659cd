"""What a table can say of a program, each as text."""

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


def _of_one_step(text: str, analysis: Analysis) -> str:
    """What XLA counts with one step of each loop, said so."""
    return f"{text} *" if analysis.loops and text != NONE else text


def _sent(analysis: Analysis) -> str:
    kinds = (f"{c.count} {c.kind}, {amount(c.bytes)}" for c in analysis.collectives)
    return "; ".join(kinds) or NONE


QUANTITIES = {
    "memory": Quantity(lambda found: amount(found.memory)),
    "arguments": Quantity(lambda found: amount(found.arguments)),
    "results": Quantity(lambda found: amount(found.outputs)),
    "reused": Quantity(lambda found: amount(found.aliased)),
    "temporaries": Quantity(lambda found: amount(found.temporaries)),
    "kernels": Quantity(
        lambda found: str(found.kernels), lambda found: str(found.kernels + found.library_calls)
    ),
    "loops": Quantity(lambda found: str(found.loops)),
    "library calls": Quantity(lambda _: NONE, lambda found: str(found.library_calls)),
    "moved": Quantity(
        lambda found: _of_one_step(amount(found.bytes_accessed), found),
        lambda found: amount(found.bytes_accessed),
    ),
    "operations": Quantity(lambda found: _of_one_step(count(found.flops), found)),
    "estimate": Quantity(lambda found: _of_one_step(seconds(found.estimated_seconds), found)),
    "collectives": Quantity(lambda found: _of_one_step(_sent(found), found)),
}
