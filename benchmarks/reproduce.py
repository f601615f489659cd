"""Published ratios beside this machine's own, and whether they agree."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.report.files import ResultsError, read_all
from benchmarks.report.printed import show_table
from benchmarks.report.provenance import provenance
from benchmarks.report.rows import TRUST, Ratio, rows
from benchmarks.report.schema import Results
from benchmarks.report.tables import markdown
from jaxvstorch._frameworks import SYNCHRONOUS

# When two machines are alike enough for their ratios to be judged against each other.
MACHINE_CLASS = (
    "the same processor family, the same number of cores, and the same kind of device for each "
    "framework"
)
AGREES, DIFFERS, NOISY = "agrees", "differs", "too noisy to judge"
OTHER = "other machine class"
SESSIONS = 3  # of one, the ratio would lie outside of the range of five in one case of three
WIDE = 2.0  # highest over lowest
VERDICTS = (AGREES, DIFFERS, NOISY, OTHER)
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


def judge(theirs: Results, yours: Results) -> list[Line]:
    """Every ratio that both have. Ratios of other machine classes are not judged."""
    alike = machine_class(theirs) == machine_class(yours)
    mine = _ratios(yours)
    return [
        Line(name, size, mode, a, b, verdict(a, b) if alike else OTHER)
        for (name, size, mode), a in _ratios(theirs).items()
        if (b := mine.get((name, size, mode)))
    ]


def _ratios(results: Results) -> dict[tuple[str, int, str], Ratio]:
    return {
        (f"{row.topic}.{row.name}", row.size, mode): ratio
        for row in rows(results)
        for mode in ("compiled", f"compiled{SYNCHRONOUS}", "eager")
        if (ratio := row.ratio(mode))
    }


def verdict(published: Ratio, yours: Ratio) -> str:
    """Whether the ranges of the sessions' ratios overlap; if they are not too wide to say.

    Ranges as near to each other as the clock is trusted count as overlapping.
    """
    gap = max(yours.low - published.high, published.low - yours.high)
    if gap > TRUST * published.value:
        return DIFFERS
    low, high = min(published.low, yours.low), max(published.high, yours.high)
    return NOISY if high > WIDE * low else AGREES


def published(folder: Path) -> tuple[list[Results], list[str]]:
    """Every published file that can be read, and what could not be.

    Raises:
        ResultsError: none can be.
    """
    files, problems = read_all(folder)
    if not files:
        raise ResultsError(problems[0] if problems else f"{folder}: no results are published")
    return list(files.values()), problems


def nearest(files: Iterable[Results], yours: Results) -> Results:
    """The newest of this machine's class; where there is none, the newest of all."""
    mine = machine_class(yours)
    return max(files, key=lambda results: (machine_class(results) == mine, results.date))


def machine_class(results: Results) -> str:
    """The class in words, such as ``"AMD EPYC, 2 cores, jax on cpu, torch on cpu"``."""
    machine = results.machine
    kinds = [f"{f} on {results.devices[f].name}" for f in sorted(results.devices) if f != "numpy"]
    return ", ".join([cpu_family(machine.cpu), f"{machine.cores} cores", *kinds])


def cpu_family(cpu: str) -> str:
    """A processor's name without model number and clock, such as ``"Intel Xeon Platinum"``.

    Virtual machines often report no more than this, so it is what can be compared. Where a name
    without a number is followed by those of family and model, they stay: the name alone does not
    tell apart processors with other instructions.
    """
    cpu, opening, numbers = cpu.partition(" (family ")
    cpu = re.sub(r"\(\w+\)|@.*|\b(\d+-Core|\d+th Gen|CPU|Processor)\b", " ", cpu)
    cpu = re.sub(r"-?\b[A-Za-z]*\d[A-Za-z]*\d\w*", " ", cpu)  # 7B13, 8481C, the end of i7-1185G7
    return " ".join(cpu.split()) + opening + numbers


def summary(theirs: Results, yours: Results, lines: Sequence[Line]) -> list[str]:
    """What must be known to read the table, one sentence each."""
    counts = [f"{v}: {sum(line.verdict == v for line in lines)}" for v in VERDICTS]
    all_of_them = len(_ratios(theirs))
    others = " To measure the others, run `nox -s bench`." * (len(lines) < all_of_them)
    pins = {name: version.split("+")[0] for name, version in yours.versions.items()}
    text = [
        f"Published: {provenance(theirs)}",
        f"Yours: {provenance(yours)}",
        f"{len(lines)} of the {all_of_them} published ratios of JAX's time to PyTorch's were "
        f"measured again; {', '.join(counts)}.{others}",
        f"A machine class is {MACHINE_CLASS}. Published: {machine_class(theirs)}. "
        f"Yours: {machine_class(yours)}. Ratios of another class are shown but not judged.",
        f"Each ratio is the median of its sessions, {len(theirs.sessions)} published and "
        f"{len(yours.sessions)} of yours, with their range. Two agree if their ranges overlap, or "
        f"are less than {100 * TRUST:.0f} % apart, which is as far as the clock can be trusted. If "
        f"the highest of both is more than {WIDE:g} times the lowest, they are too noisy to judge.",
    ]
    if outdated := theirs.outdated(pins):
        text.append(f"Published with other versions than yours: {'; '.join(outdated)}.")
    return [*text, *(f"Problem in your session: {problem}" for problem in yours.warnings)]


def report(sentences: Iterable[str], lines: Sequence[Line]) -> str:
    """Markdown to paste into an issue: the sentences of ``summary``, then the table."""
    intro = "\n".join(f"- {line}" for line in sentences)
    return f"# Published ratios, measured again\n\n{intro}\n\n{_table(lines)}\n"


def _table(lines: Sequence[Line]) -> str:
    return markdown(HEADER, (line.cells() for line in lines))


def show(sentences: Iterable[str], lines: Sequence[Line], console: Console) -> None:
    """Print the table, then how to read it."""
    title = "JAX's time over PyTorch's (below 1: JAX took less), with the range of the sessions"
    show_table(title, _table(lines), console)
    for sentence in sentences:
        console.print(sentence, markup=False, soft_wrap=True)
