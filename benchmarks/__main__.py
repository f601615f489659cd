"""``python -m benchmarks``; ``compare``, ``sessions``, ``reproduce``, ``rented``."""

import importlib.util
import sys

from jaxvstorch._command import exit_status

if __name__ == "__main__":
    exit_status.stop_at_once()  # what is imported next takes most of a short command's time
    needed = {"msgspec": "msgspec", "pytest": "pytest", "pytest_benchmark": "pytest-benchmark"}
    if missing := [needed[name] for name in needed if importlib.util.find_spec(name) is None]:
        are = "is" if len(missing) == 1 else "are"
        print(f"{' and '.join(missing)} {are} not installed: pip install --group bench",
              file=sys.stderr)  # fmt: skip
        sys.exit(2)

import argparse
import datetime
import math
from pathlib import Path

from rich.console import Console

from benchmarks import compare, join, machine, measuring, processes, rented, reproduce
from benchmarks.origin import ROOT
from benchmarks.report import page, printed
from benchmarks.report.files import ResultsError, check_writable, read, write_text
from benchmarks.report.schema import Results
from jaxvstorch._command import terminal

FOLDER = ROOT / "bench-out"
PUBLISHED = ROOT / "benchmarks" / "published"


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit code: 0 well, 1 problems, 2 bad input, 130 cut short."""
    console = terminal.console(pipe_width=120)
    commands = {
        "compare": _compare,
        "sessions": join.command,
        "rented": rented.command,
        "reproduce": _reproduce,
    }
    try:
        with processes.stoppable():
            if arguments[:1] and arguments[0] in commands:
                return commands[arguments[0]](arguments[1:], console)
            return _run(arguments, console)
    except ResultsError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return exit_status.INTERRUPTED


def _run(arguments: list[str], console: Console) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time both frameworks on this machine.",
        epilog="`compare OLD.json [NEW.json]` shows what changed, `sessions` joins sessions into "
        "one file, `reproduce` measures published ratios again, `rented` runs everything on a "
        "machine that you have for a few minutes. Each has --help. "
        "Exit status: 0 success, 1 problems, 2 bad input, 130 interrupted.",
    )
    parser.add_argument("--quick", action="store_true", help="a few cases; first prints the time")
    parser.add_argument("-k", dest="select", default="", help="only cases whose name this matches")
    parser.add_argument("--minutes", type=_minutes, help="leave out what has not begun by then")
    parser.add_argument("--sessions", type=_count, default=1, help="how many, one after another")
    parser.add_argument("--no-first-calls", action="store_true", help="later calls only: shorter")
    parser.add_argument("--output", type=Path, help="the results file (default: in bench-out/)")
    options = parser.parse_args(arguments)
    output = options.output or _new_file(".json")
    check_writable(output)
    minutes, first_calls = options.minutes, not options.no_first_calls
    if options.quick and not options.select and minutes is None:
        expected = machine.quick_minutes()
        minutes = max(1.0, 2 * expected)
        console.print(
            f"This takes about {max(1, expected):.0f} minutes on this machine as it is now. Cases "
            f"that have not begun after {minutes:.0f} minutes are left out."
        )
    measuring.run(output.resolve(), options.quick, options.select, minutes,
                  options.sessions, first_calls)  # fmt: skip
    results = read(output)
    printed.show(results, console)
    console.print(f"Results: {output}", soft_wrap=True)
    shown = output.with_suffix(".html")
    write_text(page.page(results, _published_machine(results)), shown)
    console.print(f"Page: {shown}", soft_wrap=True)
    return _code(results)


def _published_machine(yours: Results) -> Results | None:
    """The published results to show yours beside; ``None`` where none can be read."""
    try:
        return reproduce.nearest(reproduce.published(PUBLISHED)[0], yours)
    except ResultsError:
        return None


def _minutes(text: str) -> float:
    minutes = float(text) if text.replace(".", "", 1).isdecimal() else 0.0
    if not 0 < minutes < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: give a number, such as 5")
    return minutes


def _count(text: str) -> int:
    if not (text.isdecimal() and 0 < int(text) < 100):
        raise argparse.ArgumentTypeError(f"{text}: give a number, such as 5")
    return int(text)


def _code(results: Results) -> int:
    """A problem counts more than being cut short: a process that crashed is both."""
    return 1 if results.problems else exit_status.INTERRUPTED if results.partial else 0


def _new_file(end: str) -> Path:
    # To the microsecond: two sessions may begin in one second, and each needs a file of its own.
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    return FOLDER / f"{machine.slug()}-{now}{end}"


def _compare(arguments: list[str], console: Console) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks compare",
        description="Show the times that changed by more than the sessions of each file differ.",
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


def _reproduce(arguments: list[str], console: Console) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks reproduce",
        description="Measure published ratios again, in quick sessions, and write a report.",
    )
    parser.add_argument("--against", type=Path, help="a published file (default: the nearest)")
    parser.add_argument("-k", dest="select", default="", help="only cases whose name this matches")
    parser.add_argument("--output", type=Path, help="the report (default: in bench-out/)")
    options = parser.parse_args(arguments)
    missing = [name for name in ("jax", "torch") if importlib.util.find_spec(name) is None]
    if missing:
        raise ResultsError(f"a ratio needs both frameworks: {missing[0]} is not installed")
    files, unread = ([read(options.against)], []) if options.against else (
        reproduce.published(PUBLISHED)
    )  # fmt: skip
    results = _new_file(".json")
    output = options.output or results.with_suffix(".md")
    for path in (results, output):
        check_writable(path)
    measuring.run(results.resolve(), True, options.select, count=reproduce.SESSIONS,
                  first_calls=False)  # fmt: skip
    yours = read(results)
    nearest = reproduce.nearest(files, yours)
    lines = reproduce.judge(nearest, yours)
    sentences = reproduce.summary(nearest, yours, lines)
    sentences += [f"A published file was left out: {problem}" for problem in unread]
    reproduce.show(sentences, lines, console)
    console.print(f"Results: {results}", soft_wrap=True)
    write_text(reproduce.report(sentences, lines), output)
    console.print(f"Report: {output}", soft_wrap=True)
    return _code(yours)


if __name__ == "__main__":
    sys.exit(exit_status.run("python -m benchmarks", lambda: main(sys.argv[1:])))
