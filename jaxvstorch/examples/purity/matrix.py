"""What happens to a function's side effects and outside reads when it is compiled.

Every kind of function in ``examples/purity`` is called three times: twice in the same world, and
once after the world has changed. The same three calls of the topic's ``reference.py``, in plain
Python and NumPy, show what should happen.
"""

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._table import Table
from jaxvstorch.examples import purity
from jaxvstorch.examples.purity import reference
from jaxvstorch.examples.purity.world import Seen, three_calls

# Kind of function, and its name in each half.
KINDS = {
    "local list changed": "powers",
    "local name rebound": "squared_deviations",
    "local array changed in place": "neighbour_sums",
    "argument changed": "centered",
    "global written": "counted",
    "global keeps an array": "summed_squares",
    "global read": "scaled",
    "environment read": "shifted_by_setting",
    "file read": "shifted_by_file",
    "output": "announced_sum",
    "clock": "stamped",
    "Python's random state": "jittered",
    "NumPy's random state": "noisy",
}

CALLS = ("1st", "2nd", "3rd")


@dataclass(frozen=True, repr=False)
class PurityMatrix:
    """A table of kinds of functions by compilers.

    Attributes:
        columns: the column titles: each framework eager, and compiled.
        cells: by kind and column title, one word for each of the three calls: ``"right"``: value
            and effect are plain Python's; ``"stale"``: the value is one of an earlier call;
            ``"lost"``: the value is right, but nothing happened outside; ``"other"``: another
            value or effect; or the class of the error that it raised.
    """

    columns: tuple[str, ...]
    cells: dict[tuple[str, str], tuple[str, ...]]

    def rows(self) -> list[tuple[str, ...]]:
        """One tuple of texts per kind. Three equal words are written once."""
        return [(kind, *(self._text(kind, column) for column in self.columns)) for kind in KINDS]

    def _text(self, kind: str, column: str) -> str:
        words = self.cells[kind, column]
        return words[0] if len(set(words)) == 1 else ", ".join(words)

    def __str__(self) -> str:
        return str(Table(("kind", *self.columns), self.rows()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Three columns for each way of calling; those in which all is right are named below."""
        right = [c for c in self.columns if all({*self.cells[k, c]} == {"right"} for k in KINDS)]
        shown = [column for column in self.columns if column not in right]
        tops = "".join(f'<th colspan="3" scope="colgroup">{escape(c)}</th>' for c in shown)
        calls = "".join(f'<th scope="col">{call}</th>' for call in CALLS) * len(shown)
        rows = "".join(self._html_row(kind, shown) for kind in KINDS)
        note = f" Everything is right in {' and '.join(right)}." if right else ""
        return (
            '<table class="ledger purity"><caption>Before the third call the world changes.'
            f"{note}</caption><thead>"
            f'<tr><td></td>{tops}</tr><tr><th scope="col">kind</th>{calls}</tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )

    def _html_row(self, kind: str, columns: Sequence[str]) -> str:
        words = [word for column in columns for word in self.cells[kind, column]]
        cells = "".join(map(_html_cell, words))
        return f'<tr><th scope="row">{escape(kind)}</th>{cells}</tr>'


def _html_cell(word: str) -> str:
    """A call; what is not right is marked, for the page's style to show."""
    if word in ("right", "stale", "lost", "other"):
        return f'<td class="{"right" if word == "right" else "wrong"}">{word}</td>'
    return f'<td class="wrong"><abbr title="{escape(word)}">error</abbr></td>'


def purity_matrix(
    names: Sequence[str] = _frameworks.FRAMEWORKS, **options: dict[str, Any]
) -> PurityMatrix:
    """Call every kind of function in every mode, and compare with plain Python.

    This changes ``$SHIFT`` and the states of Python's and NumPy's generators, and puts them back
    afterwards.

    Args:
        names: the frameworks, ``"jax"`` and ``"torch"``.
        **options: by framework, further options of its compiler, such as
            ``torch={"backend": "eager"}``.

    Raises:
        ValueError: there is no such framework here.
        MissingFrameworkError: one of them is not installed.
    """
    adapters = {name: _frameworks.adapter(name) for name in names}
    cells = {}
    modes = {(name, mode): _title(name, mode) for name in names for mode in ("eager", "compiled")}
    for kind, name in KINDS.items():
        answer = three_calls(reference, name)
        for (framework, mode), title in modes.items():
            adapter = adapters[framework]
            half = importlib.import_module(f"{purity.__name__}.{framework}")
            compile = partial(adapter.compile, **options.get(framework, {}))
            seen = three_calls(
                half, name, adapter.from_numpy, compile if mode == "compiled" else None
            )
            cells[kind, title] = tuple(_verdicts(kind, seen, answer))
    return PurityMatrix(tuple(modes.values()), cells)


def _title(framework: str, mode: str) -> str:
    titles = _frameworks.COMPILERS if mode == "compiled" else _frameworks.TITLES
    return titles[framework] + (" eager" if mode == "eager" else "")


def _verdicts(kind: str, seen: Sequence[Seen], answer: Sequence[Seen]) -> Iterator[str]:
    earlier: list[list[float]] = []
    for got, expected in zip(seen, answer, strict=True):
        if got.error:
            yield got.error
        elif not _right_value(kind, got, expected):
            yield "stale" if got.value in earlier else "other"
        elif (got.after, got.printed) == (expected.after, expected.printed):
            yield "right"
        else:
            yield "lost" if got.after == got.before and not got.printed else "other"
        earlier.append(got.value)


def _right_value(kind: str, got: Seen, expected: Seen) -> bool:
    if kind != "clock":
        return np.allclose(got.value, expected.value, rtol=1e-5)
    rounding = 1e-3  # seconds: the rounding of a time in float32, and less than compiling takes
    return got.started - rounding <= got.value[0] <= got.ended + rounding
