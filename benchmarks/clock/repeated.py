"""Compares the clocks in several processes of each framework, and takes the median of the ratios.

A process's addresses change a call of 5 µs by 2 % (standard deviation), for as long as it lives.
The median of three pairs of processes was 5 % off; that of nine is known to about 1 %.
"""

import argparse
import importlib.util
import statistics
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from rich.console import Console

from benchmarks import machine, one_framework
from benchmarks.clock import TRUST
from benchmarks.report.entries import ClockCheck
from benchmarks.report.files import ResultsError, check_writable, read, write
from benchmarks.report.printed import show_table
from benchmarks.report.provenance import machine_name
from benchmarks.report.tables import clock_table

PROCESSES = 9  # of each framework, beside as many of each other clock
BENCH = "benchmarks/clock/bench_clock.py"
TIMES = {"harness", "timeit", "torch_timer"}
RATIOS = {"over_timeit", "over_torch_timer"}


def run(count: int = PROCESSES) -> tuple[tuple[ClockCheck, ...], list[str]]:
    """Check the clock with each framework that is installed.

    Returns:
        The checks, and what went wrong.
    """
    installed = [name for name in ("jax", "torch") if importlib.util.find_spec(name) is not None]
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    problems = []
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        for number, framework in product(range(count), installed):
            path = Path(folder, f"{number}-{framework}.json")
            code = one_framework.run(framework, path, ["--again"], BENCH)
            part = one_framework.read(path)
            problems += one_framework.problem(framework, code, part)
            problems += part["session"]["failed"] if part else []
            for entry in part["benchmarks"] if part else []:
                check = entry["extra_info"]["clock"]
                found.setdefault((framework, check["function"]), []).append(check)
    return tuple(pool(*key, checks) for key, checks in found.items()), problems


def pool(framework: str, function: str, checks: Sequence[dict[str, Any]]) -> ClockCheck:
    """The least times of all processes, and the median of their ratios.

    A ratio's spread is how far that of one process is from the median, at most.
    """
    values = {key: [check[key] for check in checks] for key in TIMES | RATIOS}
    values = {key: found for key, found in values.items() if None not in found}  # no PyTorch
    pooled: dict[str, Any] = {key: min(values[key]) for key in TIMES & values.keys()}
    for key in RATIOS & values.keys():
        median = statistics.median(values[key])
        pooled |= {key: median, f"{key}_spread": max(abs(ratio - median) for ratio in values[key])}
    passed = all(abs(pooled[key] - 1) <= TRUST for key in RATIOS & values.keys())
    return ClockCheck(framework=framework, function=function, passed=passed, **pooled)


def command(arguments: list[str], console: Console) -> int:
    """Run it, print the table and add it to a file; returns 1 if a clock is off, else 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks clock",
        description="Compare the harness's clock with timeit and PyTorch's timer: some minutes.",
    )
    parser.add_argument("file", type=Path, nargs="?", help="add what is found to these results")
    options = parser.parse_args(arguments)
    results = read(options.file) if options.file else None
    here = machine.cpu_model(), machine.CORES
    if results and (results.machine.cpu, results.machine.cores) != here:
        raise ResultsError(
            f"{options.file} is of another machine, {machine_name(results)}: check the clock there"
        )
    if results:
        check_writable(options.file)
    checks, problems = run()
    show_table("The harness's clock over others", clock_table(checks), console)
    for problem in problems:
        console.print(f"problem: {problem}", style="red", markup=False, soft_wrap=True)
    if results and not problems:
        write(replace(results, clock=checks), options.file)
        console.print(f"Results: {options.file}", soft_wrap=True)
    return int(bool(problems) or not all(check.passed for check in checks))
