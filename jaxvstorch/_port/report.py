"""The report of a replay, with the ways to show it."""

from dataclasses import dataclass

from jaxvstorch._port.rendering import html, text
from jaxvstorch._port.report_data import ReportData


@dataclass(repr=False)
class PortReport(ReportData):
    """Every line that called the framework, and how the program ended.

    Printed, it is text for a terminal; in a notebook it is HTML.

    Attributes:
        framework: whose calls were repeated in the other one.
        lines: by file and number.
        ended: why the program did not reach its end, if it did not.
        seconds: how long the program took with its calls repeated, if it was a program and ended.
        beyond: how many calls, or steps of a JAX loop, were left out, because their line had been
            replayed often enough.
        unreached: lines of the program's files with calls that it did not make.
        notes: on the whole run, such as that processes were forked.
        parity: the result of comparing each part of the draft with the program's own.
        failed_draft: why the draft could not be written, if it could not.
    """

    def __str__(self) -> str:
        return text.plain(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html.fragment(self)
