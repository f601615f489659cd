"""What a session prints at its end: the tables that the book shows, and what went wrong."""

from collections.abc import Sequence

from rich.console import Console

from benchmarks.report import tables
from benchmarks.report.provenance import provenance
from benchmarks.report.schema import Results
from jaxvstorch._measure.durations import seconds

RATIO = "A ratio is JAX's time over PyTorch's: below 1, JAX took less."
_GAP = 2  # columns


def show(results: Results, console: Console) -> None:
    """Print everything about one session."""
    console.print(provenance(results), markup=False, soft_wrap=True)
    for topic in results.topics():
        show_table(f"{topic}", tables.topic_tables(results, topic), console)
    console.print(f"\n{RATIO}")
    set_up = ", ".join(f"{name} {seconds(time)}" for name, time in results.set_up.items())
    console.print(f"Set up once, before the first calls: {set_up}.")
    share = f"{results.share:.0%} of {results.seconds:.0f} s"
    console.print(f"{share} went into compiling and timing.")
    for problem in results.warnings:
        console.print(f"problem: {problem}", style="red", markup=False, soft_wrap=True)


def show_table(title: str, text: str, console: Console) -> None:
    """Print Markdown tables, separated by empty lines, under a title."""
    console.print(f"\n{title}", style="bold", markup=False)
    for part in filter(str.strip, text.split("\n\n")):
        heads, _, *body = [
            [cell.strip().strip("`") for cell in line.strip().strip("|").split(" | ")]
            for line in part.splitlines()
        ]
        console.print("\n".join(["", *table(heads, body, console.width)]), soft_wrap=True)


def table(heads: Sequence[str], body: Sequence[Sequence[str]], width: int) -> list[str]:
    """The lines of a table in which no name and no number is cut.

    Where it is too wide, each name has a line of its own, above its rows; columns that still do not
    fit stand below a row, each with its head.
    """
    longest = [max(head.split(), key=len) for head in heads]  # a head may take several lines
    widths = [max(map(len, column)) for column in zip(longest, *body, strict=True)]
    names_apart = _fitting(widths, width) < len(widths)
    if names_apart:
        widths[0] = 0
    fitting = _fitting(widths, width)
    shown = ["" if names_apart else heads[0], *heads[1:]][:fitting]
    lines = [_line(row, widths) for row in _stacked(shown)]
    above = None
    for row in body:
        name, *cells = row
        if names_apart and name != above:
            lines.append(name)
        above = name
        lines.append(_line(["" if names_apart else name, *cells][:fitting], widths))
        below = zip(heads[fitting:], row[fitting:], strict=True)
        lines += [f"{'':{2 * _GAP}}{head}: {cell}" for head, cell in below if cell != "-"]
    return lines


def _fitting(widths: Sequence[int], width: int) -> int:
    """How many columns fit side by side."""
    ends = [sum(widths[: n + 1]) + _GAP * n for n in range(len(widths))]
    return sum(end <= width for end in ends)


def _stacked(heads: Sequence[str]) -> list[list[str]]:
    """The lines of the heads, a word on each, down to the last one."""
    words = [head.split() for head in heads]
    most = max(map(len, words))
    padded = [[""] * (most - len(several)) + several for several in words]
    return [list(line) for line in zip(*padded, strict=True)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=False)
    aligned = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return (" " * _GAP).join(aligned).rstrip()
