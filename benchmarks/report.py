"""What a session prints at its end: ratios, memory, the clock, and what went wrong."""

from rich.console import Console
from rich.table import Table

from jaxvstorch import results_limits as limits
from jaxvstorch.measure.durations import seconds
from jaxvstorch.results import Results
from jaxvstorch.results_machine import provenance
from jaxvstorch.results_tables import CLOCK, clock_lines, rate
from jaxvstorch.timings import Row, own_rows, plain_rows, rows


def show(results: Results, console: Console) -> None:
    """Print everything about one session."""
    found = rows(results.timings)
    console.print(provenance(results), soft_wrap=True)
    tables = (_ratios(plain_rows(found)), _own(results, own_rows(found)), _clock(results))
    for table in tables:
        if table.row_count:
            console.print(table)
    set_up = ", ".join(f"{name} {seconds(time)}" for name, time in results.set_up.items())
    console.print(f"Set up once, before the first calls: {set_up}.")
    share = f"{results.share:.0%} of {results.seconds:.0f} s"
    console.print(f"{share} went into compiling and timing.")
    for problem in results.problems:
        console.print(f"problem: {problem}", style="red", markup=False, soft_wrap=True)


def _ratios(found: list[Row]) -> Table:
    title = "JAX's time over PyTorch's (below 1: JAX took less), with spread"
    table = Table(title=title, title_justify="left")
    for name in ("function", "size"):
        table.add_column(name)
    for name in ("jax.jit", "torch.compile", "ratio", "eager ratio", "first calls"):
        table.add_column(name, justify="right")
    for row in found:
        both = [row.times.get((name, "compiled")) for name in ("jax", "torch")]
        firsts = " / ".join(seconds(t.first_call) for t in both if t and t.first_call)
        table.add_row(
            f"{row.topic}.{row.name}",
            f"{row.size:,}",
            *(seconds(timing.minimum if timing else None) for timing in both),
            *(str(row.ratio(mode) or "-") for mode in ("compiled", "eager")),
            firsts,
        )
    return table


def _own(results: Results, found: list[Row]) -> Table:
    title = "Other ways of calling, and what part they are of what the machine can do"
    table = Table(title=title, title_justify="left")
    for name in ("function", "framework", "how"):
        table.add_column(name)
    for name in ("time", "spread", "per second", "of the machine's"):
        table.add_column(name, justify="right")
    for row in found:
        for (framework, mode), timing in row.times.items():
            share = limits.fraction(timing, results.timings)
            times = (seconds(timing.minimum), seconds(timing.spread), rate(timing))
            part = f"{share.value:.0%} of a {share.of}" if share else "-"
            table.add_row(f"{row.topic}.{row.name}", framework, mode, *times, part)
    return table


def _clock(results: Results) -> Table:
    caption = "A no does not fail the session: what else the machine does moves these ratios too."
    table = Table(title="The harness's clock over others", caption=caption)
    table.title_justify = table.caption_justify = "left"
    for place, name in enumerate(CLOCK):
        table.add_column(name, justify="left" if place < 2 else "right")
    for line in clock_lines(results):
        table.add_row(*line)
    return table
