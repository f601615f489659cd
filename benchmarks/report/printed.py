"""What a session prints at its end: the tables that the book shows, and what went wrong."""

from rich.console import Console
from rich.markdown import Markdown

from benchmarks.report import tables
from benchmarks.report.provenance import provenance
from benchmarks.report.schema import Results
from jaxvstorch._measure.durations import seconds

RATIO = "A ratio is JAX's time over PyTorch's: below 1, JAX took less."


def show(results: Results, console: Console) -> None:
    """Print everything about one session."""
    console.print(provenance(results), markup=False, soft_wrap=True)
    for topic in results.topics():
        show_table(f"{topic}", tables.topic_tables(results, topic), console)
    console.print(RATIO)
    set_up = ", ".join(f"{name} {seconds(time)}" for name, time in results.set_up.items())
    console.print(f"Set up once, before the first calls: {set_up}.")
    share = f"{results.share:.0%} of {results.seconds:.0f} s"
    console.print(f"{share} went into compiling and timing.")
    for problem in results.warnings:
        console.print(f"problem: {problem}", style="red", markup=False, soft_wrap=True)


def show_table(title: str, table: str, console: Console) -> None:
    """Print Markdown tables under a title."""
    console.print(f"\n{title}", style="bold", markup=False)
    console.print(Markdown(table))
