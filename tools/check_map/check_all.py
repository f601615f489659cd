"""Tries every line of the map, or some, in a process for each core."""

import multiprocessing
import os
import time

import jax
import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, rows
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.verdict import FILE, Verdict, Verdicts, verdicts
from tools.check_map import turning
from tools.check_map.judge import complaint, judge
from tools.check_map.probing import probes


def main(words: list[str]) -> int:
    """Try the lines, in a process for each core; the exit status."""
    begun, wrong = time.perf_counter(), 0
    old = verdicts() if FILE.exists() else Verdicts({}, {}, ())
    turning.write()
    parts = tuple(word for word in words if word not in all_rows())
    names = [n for n in all_rows() if not words or n in words or n.startswith(parts)]
    judged: dict[str, Verdict] = {}
    cores = len(os.sched_getaffinity(0))
    os.environ["PYTHONHASHSEED"] = "0"  # PyTorch makes some samples in the order of a set
    spawn = multiprocessing.get_context("spawn")  # a fork would hold JAX's locks
    try:
        # A process keeps what JAX compiled, gigabytes after some hundred names.
        with spawn.Pool(cores, _one_thread, maxtasksperchild=60) as pool:
            for name, verdict, problem, seconds in pool.imap_unordered(_try_name, names):
                judged[name] = verdict
                wrong += problem is not None
                _report(name, verdict, problem, seconds)
    finally:  # verdicts are kept, whatever ends the run
        _keep(old, judged, words)
    print(f"{len(judged)} names in {time.perf_counter() - begun:.0f} s; {wrong} are wrong")
    return 1 if wrong else 0


def all_rows() -> dict[str, Row]:
    """The rows of both frameworks' names."""
    return {**rows(), **jax_rows()}


def _keep(old: Verdicts, judged: dict[str, Verdict], words: list[str]) -> None:
    """Write the new verdicts, and for names that were not tried the old ones."""
    names = {name: v for name, v in (old.names | judged).items() if name in all_rows()}
    versions = {m.__name__: m.__version__.partition("+")[0] for m in (jax, np, torch)}
    run = "probes" in words or (not words and len(judged) == len(all_rows()))
    Verdicts(versions, names, tuple(probes()) if run else old.probes).write()


def _one_thread() -> None:
    torch.set_num_threads(1)


def _try_name(name: str) -> tuple[str, Verdict, str | None, float]:
    started = time.perf_counter()
    row = all_rows()[name]
    try:
        verdict = judge(row)
        problem = complaint(row, verdict)
    except Exception as error:  # one line that cannot be tried does not stop the others
        verdict, problem = Verdict({}, 0, ()), f"trying it raised {error_text(error)}"
    jax.clear_caches()  # what JAX compiles for some hundred names takes gigabytes
    return name, verdict, problem, time.perf_counter() - started


def _report(name: str, verdict: Verdict, problem: str | None, seconds: float) -> None:
    agreed = f"{verdict.agreed} of {verdict.calls}"
    print(f"{name}: {agreed} calls agree, {seconds:.1f} s", flush=True)
    for difference in verdict.differences:
        values = f"({difference.call}) gives {difference.torch} | {difference.jax}"
        print(f"    {difference.kind} {difference.times} times: {values}")
    if problem:
        print(f"    WRONG: {problem}")
