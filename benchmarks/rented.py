"""Everything that a machine which is lent for minutes is asked, the cheap first.

Each step is a process of its own with a time limit and a log, so that one that hangs or crashes
takes nothing from the others, and what is there when the machine goes away is worth having.
"""

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.origin import ROOT
from jaxvstorch._command.exit_status import INTERRUPTED

_PYTHON = [sys.executable, "-m"]
_SPARE = 20.0  # seconds in which results are written


@dataclass(frozen=True)
class Step:
    """One thing to ask.

    Attributes:
        name: of its log, too.
        command: its command line; ``{minutes}`` and ``{folder}`` are filled in.
        share: the most of all the time that it may take; 1 for what is left.
    """

    name: str
    command: list[str]
    share: float = 1.0


_HOW = {0: "done", INTERRUPTED: "as far as it got", None: "stopped: its time was up"}
_RESULTS = ["benchmarks", "--minutes", "{minutes}", "--output"]
STEPS = (
    Step("device", ["nvidia-smi"], 0.05),
    Step("doctor", [*_PYTHON, "jaxvstorch", "doctor"], 0.15),
    Step("parity", [*_PYTHON, "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-m", "sentinel",
                    "tests/test_pairs.py"], 0.3),
    Step("training", [*_PYTHON, *_RESULTS, "{folder}/training.json", "--no-first-calls",
                      "-k", "gpt_step or classifier_step"], 0.2),
    Step("results", [*_PYTHON, *_RESULTS, "{folder}/results.json"]),
)  # fmt: skip


def command(arguments: list[str], console: Console) -> int:
    """Take all steps; returns 1 where one failed, or was stopped before it had results, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks rented",
        description="Run everything on a machine that you have for a few minutes: device, doctor, "
        "one pair of each topic against its reference, training steps, and as many benchmarks as "
        "fit.",
    )
    parser.add_argument("folder", type=Path, help="where logs and results go")
    parser.add_argument("--minutes", type=float, default=8.0, help="for all of it (default: 8)")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    end = time.perf_counter() + 60 * options.minutes
    codes = []
    for step in STEPS:
        begun = time.perf_counter()
        limit = min(step.share * 60 * options.minutes, end - begun)
        codes.append(take(step, options.folder.resolve(), limit))
        took = time.perf_counter() - begun
        how = _HOW.get(codes[-1], "failed")
        console.print(f"{step.name}: {how}, {took:.0f} s", soft_wrap=True)
    console.print(f"Logs and results: {options.folder}", soft_wrap=True)
    return int(any(code not in (0, INTERRUPTED) for code in codes))


def take(step: Step, folder: Path, limit: float) -> int | None:
    """Take one step within some seconds; returns its exit code, ``None`` where it was stopped."""
    minutes = f"{max(0.1, (limit - _SPARE) / 60):.2f}"
    line = [part.format(minutes=minutes, folder=folder) for part in step.command]
    with (folder / f"{step.name}.txt").open("w", encoding="utf-8") as log:
        try:
            process = subprocess.Popen(line, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        except OSError as error:  # no nvidia-smi, say
            print(error, file=log)
            return 127
        try:
            return process.wait(timeout=max(1.0, limit))
        except subprocess.TimeoutExpired:
            process.terminate()  # upon which a benchmark writes what it has
            try:
                process.wait(timeout=_SPARE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            return None
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise
