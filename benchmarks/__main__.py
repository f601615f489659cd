"""The command: ``python -m benchmarks [--quick]``, ``python -m benchmarks compare OLD [NEW]``."""

import argparse
import datetime
import sys
from pathlib import Path

from rich.console import Console

from benchmarks import compare, machine, report, session
from jaxvstorch.results import Results, ResultsError, read

FOLDER = session.ROOT / "bench-out"


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit code: 0 all well, 1 problems, 2 bad input."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    try:
        if arguments[:1] == ["compare"]:
            return _compare(arguments[1:], console)
        return _run(arguments, console)
    except ResultsError as error:
        print(error, file=sys.stderr)
        return 2


def _run(arguments: list[str], console: Console) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time both frameworks on this machine.",
        epilog="`compare OLD.json [NEW.json]` says what moved by more than the spread.",
    )
    parser.add_argument("--quick", action="store_true", help="a few cases, under three minutes")
    parser.add_argument("-k", dest="select", default="", help="cases whose name this matches")
    parser.add_argument("--output", type=Path, help="the results file (default: in bench-out/)")
    options = parser.parse_args(arguments)
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    output = options.output or FOLDER / f"{machine.slug()}-{now}.json"
    problems = session.run(output.resolve(), options.quick, options.select)
    report.show(read(output), console)
    console.print(f"Results: {output}", soft_wrap=True)
    return 1 if problems else 0


def _compare(arguments: list[str], console: Console) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks compare",
        description="Say what moved by more than the spread between two results files.",
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?", help="default: the newest in bench-out/")
    options = parser.parse_args(arguments)
    compare.show(read(options.old), _newest(options.old) if not options.new else read(options.new),
                 console)  # fmt: skip
    return 0


def _newest(old: Path) -> Results:
    """The newest file in ``bench-out/`` other than ``old``."""
    files = [path for path in FOLDER.glob("*.json") if path.resolve() != old.resolve()]
    if not files:
        raise ResultsError(f"nothing to compare {old} with: run `python -m benchmarks` first")
    return read(max(files, key=lambda path: path.stat().st_mtime))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
