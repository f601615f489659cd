"""What ``check_parity`` returns: all comparisons, as text, as a table, or as an error."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from jaxvstorch import _frameworks
from jaxvstorch._frameworks import proven
from jaxvstorch._parity.comparison import HEADS, Comparison
from jaxvstorch._table import Table


@dataclass(frozen=True, repr=False)
class Parity:
    """All comparisons of one pair of functions on one set of inputs: a table in a notebook.

    Attributes:
        comparisons: one per output and gradient of each function, and one per output whose dtypes
            are not the same.
    """

    comparisons: tuple[Comparison, ...]

    @property
    def same(self) -> bool:
        """Whether every value and gradient agreed; false if there was no number to compare."""
        return self._compared and all(comparison.same for comparison in self.comparisons)

    @property
    def _compared(self) -> bool:
        return any(comparison.compared for comparison in self.comparisons)

    def __str__(self) -> str:
        rows = [line for comparison in self.comparisons for line in comparison.lines]
        return "\n".join([*proven.notes(*_frameworks.FRAMEWORKS), *rows, *self._advice])

    @property
    def _advice(self) -> list[str]:
        empty = not self._compared and all(comparison.same for comparison in self.comparisons)
        advice = "nothing was compared: pass inputs for which the results have elements"
        return [advice] if empty else []

    def __repr__(self) -> str:
        wrong = [comparison for comparison in self.comparisons if not comparison.same]
        first = f"{wrong[0].what}: {wrong[0].verdict}" if wrong else "nothing compared"
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        verdict = "same" if self.same else f"{first}{more}"
        number = len(self.comparisons)
        return f"<Parity of {number} comparison{'s' * (number != 1)}: {verdict}>"

    def _repr_html_(self) -> str:
        newer = proven.notes(*_frameworks.FRAMEWORKS)
        notes = [f"{row.what}: {row.note}" for row in self.comparisons if row.note]
        table = Table(HEADS, [row.cells for row in self.comparisons]).html()
        return f"{_paragraphs(newer)}{table}{_paragraphs([*notes, *self._advice])}"

    def require(self) -> None:
        """Raise ``AssertionError`` with the whole report unless everything agrees."""
        if not self.same:
            raise AssertionError(str(self))


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(f'<p class="numbers-note">{escape(text)}</p>' for text in texts)
