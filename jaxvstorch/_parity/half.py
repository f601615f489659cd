"""One of the two functions that check_parity compares, and how it is called."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._parity.comparison import Comparison, compare
from jaxvstorch._parity.outcome import Arguments, Function, Outcome, observe, run

_CURE = (
    "compare in eval mode, without dropout, or draw the numbers once with NumPy (a dropout mask, "
    "noise) and pass them to both functions as an input: from a seed or a key, each framework "
    "draws different numbers"
)


@dataclass(frozen=True)
class Half:
    """A function, and what it is called with.

    Attributes:
        framework: that it is given the arrays of.
        function: as in ``check_parity``, like the rest.
        gradient: positions.
        convert: makes its arguments.
    """

    framework: str
    function: Function
    gradient: Sequence[int]
    convert: Callable[[str, Arguments], Arguments]

    def run(self, inputs: Arguments) -> Outcome:
        """Its outputs and gradients.

        Raises:
            TypeError: as ``outcome.run``; or it is a function of the other framework.
        """
        try:
            return run(self.framework, self.function, inputs, self.gradient, self.convert)
        except Exception as error:
            (other,) = {*_frameworks.FRAMEWORKS} - {self.framework}
            if self._takes(other, inputs) and not self._takes(self.framework, inputs):
                raise TypeError(
                    f"{self.framework}_function accepts arrays of {_frameworks.TITLES[other]}, but "
                    f"fails with those of {_frameworks.TITLES[self.framework]}: pass check_parity "
                    "the JAX function first, then the PyTorch function"
                ) from error
            raise

    def narrows(self, inputs: Arguments) -> bool:
        """Whether it makes floating-point arrays narrower than float64, of inputs in float64."""
        return "narrow" in observe(self.framework, self.function, inputs, self.convert)

    def draws(self, inputs: Arguments) -> str:
        """How it shows that its numbers are random; empty where nothing does."""
        if "random" in observe(self.framework, self.function, inputs, self.convert):
            return "it draws random numbers"
        first, second = (self.run(inputs).arrays for _ in range(2))
        if all(map(_agree, second, first)):
            return ""
        return "it returns other numbers when it is called again with the same inputs"

    def _takes(self, framework: str, inputs: Arguments) -> bool:
        with suppress(Exception):
            run(framework, self.function, inputs, convert=self.convert)
            return True
        return False


def without_random_numbers(
    rows: list[Comparison], halves: Mapping[str, Half], inputs: Arguments
) -> list[Comparison]:
    """The rows; in place of those whose numbers differ, that a function draws random numbers."""
    if all(row.same or row.error != row.error for row in rows):
        return rows
    drawing = {name: how for name, half in halves.items() if (how := half.draws(inputs))}
    if not drawing:
        return rows
    notes = [
        Comparison(f"{name}_function", same=False, compared=False, note=f"{how}: {_CURE}")
        for name, how in drawing.items()
    ]
    return [*notes, *(row for row in rows if row.same or row.error != row.error)]


def _agree(again: Any, once: Any) -> bool:
    return compare("", again, once).same
