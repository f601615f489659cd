"""Published ratios beside this machine's own, and whether they agree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.machine_class import DEFINITION, machine_class
from jaxvstorch.results import Results, ResultsError, read_all
from jaxvstorch.results_machine import provenance
from jaxvstorch.results_tables import markdown
from jaxvstorch.timings import Ratio, rows

AGREES, DIFFERS, OTHER = "agrees", "differs", "other machine class"
HEADER = ("function", "size", "mode", "published", "yours", "verdict")


@dataclass(frozen=True)
class Line:
    """One ratio in both results."""

    function: str
    size: int
    mode: str
    published: Ratio
    yours: Ratio
    verdict: str

    def cells(self) -> tuple[str, ...]:
        """What a table shows of it, in the order of ``HEADER``."""
        ratios = (str(self.published), str(self.yours))
        return (self.function, f"{self.size:,}", self.mode, *ratios, self.verdict)


def lines(theirs: Results, yours: Results) -> list[Line]:
    """Every ratio that both have. Ratios of other machine classes are not judged."""
    alike = machine_class(theirs) == machine_class(yours)
    mine = {(row.topic, row.name, row.size): row for row in rows(yours.timings)}
    found = []
    for row in rows(theirs.timings):
        other = mine.get((row.topic, row.name, row.size))
        for mode in ("compiled", "eager"):
            a, b = row.ratio(mode), other.ratio(mode) if other else None
            if a and b:
                what = verdict(a, b) if alike else OTHER
                found.append(Line(f"{row.topic}.{row.name}", row.size, mode, a, b, what))
    return found


def verdict(published: Ratio, yours: Ratio) -> str:
    """``"agrees"`` where the intervals, each a ratio ± its spread, overlap."""
    apart = abs(published.value - yours.value)
    return AGREES if apart <= published.spread + yours.spread else DIFFERS


def published(folder: Path) -> list[Results]:
    """Every published file that can be read.

    Raises:
        ResultsError: there is none.
    """
    found, problems = read_all(folder)
    if not found:
        raise ResultsError(problems[0] if problems else f"{folder}: no results are published")
    return list(found.values())


def nearest(found: Iterable[Results], yours: Results) -> Results:
    """The newest of this machine's class; where there is none, the newest of all."""
    mine = machine_class(yours)
    return max(found, key=lambda results: (machine_class(results) == mine, results.date))


def summary(theirs: Results, yours: Results, found: Sequence[Line]) -> list[str]:
    """What must be known to read the table, one sentence each."""
    counts = [f"{v}: {sum(line.verdict == v for line in found)}" for v in (AGREES, DIFFERS, OTHER)]
    pins = {name: version.split("+")[0] for name, version in yours.versions.items()}
    text = [
        f"Published: {provenance(theirs)}",
        f"Yours: {provenance(yours)}",
        f"{len(found)} ratios of JAX's time to PyTorch's; {', '.join(counts)}.",
        f"A machine class is {DEFINITION}. Published: {machine_class(theirs)}. "
        f"Yours: {machine_class(yours)}. Ratios of other classes are shown and not judged.",
        "Two ratios agree where their intervals overlap. A spread is that of the rounds of one "
        "session; from one session to the next a ratio can move further.",
    ]
    if outdated := theirs.outdated(pins):
        text.append(f"Published with other versions than yours: {'; '.join(outdated)}.")
    failed = [f"{c['framework']} {c['function']}" for c in yours.clock if not c["passed"]]
    if failed:
        text.append(f"Your clock was not within 3 % of the others: {', '.join(failed)}.")
    return [*text, *(f"Problem in your session: {problem}" for problem in yours.problems)]


def report(theirs: Results, yours: Results, found: Sequence[Line]) -> str:
    """Markdown to paste into an issue."""
    intro = "\n".join(f"- {line}" for line in summary(theirs, yours, found))
    table = markdown(HEADER, (line.cells() for line in found))
    return f"# Published ratios, measured again\n\n{intro}\n\n{table}\n"


def show(theirs: Results, yours: Results, found: Sequence[Line], console: Console) -> None:
    """Print the table, then how to read it."""
    table = Table(title="JAX's time over PyTorch's (below 1: JAX took less), with spread",
                  title_justify="left")  # fmt: skip
    for name in HEADER:
        table.add_column(name, justify="left" if name in ("function", "verdict") else "right")
    for line in found:
        table.add_row(*line.cells())
    console.print(table)
    for text in summary(theirs, yours, found):
        console.print(text, markup=False, soft_wrap=True)
