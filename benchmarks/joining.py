"""The commands ``merge`` and ``sessions``, which make one results file of several."""

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks import join, join_sessions
from benchmarks.report.files import ResultsError, write
from benchmarks.report.schema import Results


def merge(arguments: list[str], console: Console) -> int:
    """Make one file of shards."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks merge",
        description="Make one results file of the files of a set's shards.",
    )
    parser.add_argument("shards", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True, help="the file to write")
    parser.add_argument("--partial", action="store_true", help="not all shards need be there")
    options = parser.parse_args(arguments)
    _keep(join.join(options.shards, options.partial), options.output, options.shards, console)
    return 0


def sessions(arguments: list[str], console: Console) -> int:
    """Make one file of several sessions."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks sessions",
        description="Make one results file of files measured at different times on one machine.",
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True, help="the file to write")
    options = parser.parse_args(arguments)
    _keep(join_sessions.join(options.files), options.output, options.files, console)
    return 0


def _keep(found: Results, output: Path, parts: list[Path], console: Console) -> None:
    if any(output.exists() and output.samefile(path) for path in parts):
        raise ResultsError(f"--output {output} is one of the files to join: give another name")
    write(found, output)
    gap = f" ({found.gap()})" if found.gap() else ""
    console.print(f"Results: {output}{gap}", soft_wrap=True)
