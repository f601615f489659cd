"""Other clocks than the harness's: the same calls by ``timeit`` and ``torch.utils.benchmark``.

Run as a script, this file is the bare process in which those two measure: it reads one line per
round, ``TIMER NUMBER NAME``, and answers with seconds per call.
"""

import functools
import importlib
import os
import random
import statistics
import sys
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

# What is timed: sin(x) + cos(x) + x on nine numbers, where asking costs more than doing, and
# products of square matrices. They take from some 4 µs to some 50 ms. Nothing here is limited by
# memory: there a call depends on where its arrays lie, and so differs between processes.
SHORTEST = "sin+cos+x of 9"
SIDES = {f"{n:,} by {n:,} product": n for n in (150, 600, 1_800)}
NAMES = (SHORTEST, *SIDES)

# What every clock waits before a round of a product. PyTorch's threads look for more to do for some
# milliseconds after one, and take a core from the next process: after 3 ms they still were in the
# way, after 10 no more.
PAUSE_SECONDS = 0.01


@functools.cache
def prepare(framework: str, name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function and its arguments, compiled by ``jax.jit`` or as PyTorch runs it eagerly."""
    shape = (9,) if name == SHORTEST else (SIDES[name], SIDES[name])
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    if framework == "jax":
        import jax
        import jax.numpy as jnp

        function = (lambda x: jnp.sin(x) + jnp.cos(x) + x) if x.ndim == 1 else (lambda x: x @ x)
        function, argument = jax.jit(function), jnp.asarray(x)
        function(argument)  # compiles, with threads that may use every core
        return function, (argument,)
    import torch

    if x.ndim == 1:
        return (lambda x: torch.sin(x) + torch.cos(x) + x), (torch.tensor(x),)
    return (lambda x: x @ x), (torch.tensor(x),)


def ratio(harness: Sequence[float], other: Sequence[float]) -> float:
    """The harness's time over another clock's: the median over rounds taken one after the other.

    The machine may be slower for seconds on end. It then is so for both rounds of most pairs, and
    in the others it is as often the one that was disturbed as the other.
    """
    return statistics.median(ours / theirs for ours, theirs in zip(harness, other, strict=True))


def turns(timers: Sequence[str], count: int) -> Iterator[str]:
    """Who measures next: in each turn everyone once, in an order by chance, the same every time."""
    chance = random.Random(0)
    for _ in range(count):
        yield from chance.sample(timers, len(timers))


def pause(name: str) -> float:
    """How long every clock waits before a round of a function, in seconds."""
    return PAUSE_SECONDS if name in SIDES else 0.0


def get_ready(name: str, a_round: Callable[[], Any]) -> None:
    """What every clock does before a round: another process computed just now.

    Its threads may still be awake, and it emptied the caches.
    """
    time.sleep(pause(name))
    a_round()


@contextmanager
def on_one_core(name: str) -> Iterator[None]:
    """Keep the calling thread on the core of all other clocks, where one thread does the work.

    Processes that take turns tend to stay on a core each, and of two cores of a machine that others
    share one may be the slower one. Free to choose, two processes differed by 3 to 15 % for twenty
    seconds, and on one core by up to 1.5 % (2 cores, 2026-11-22). Systems other than Linux do not
    let a thread choose.
    """
    if name in SIDES or not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def by_timeit(framework: str, name: str, number: int) -> float:
    """One round of Python's own timer, in seconds per call."""
    statement, names = _statement(framework, name)
    timer = timeit.Timer(statement, globals=names)
    with on_one_core(name):
        get_ready(name, lambda: timer.timeit(number))
        return timer.timeit(number) / number


def by_torch(framework: str, name: str, number: int) -> float:
    """One round of PyTorch's own timer, in seconds per call."""
    import torch
    from torch.utils.benchmark import Timer

    statement, names = _statement(framework, name)
    timer = Timer(statement, globals=names, num_threads=torch.get_num_threads())
    with on_one_core(name):
        get_ready(name, lambda: timeit.timeit(statement, globals=names, number=number))
        return float(timer.timeit(number).median)


def _statement(framework: str, name: str) -> tuple[str, dict[str, Any]]:
    function, (x,) = prepare(framework, name)
    statement = "f(x).block_until_ready()" if framework == "jax" else "f(x)"
    return statement, {"f": function, "x": x}


def answer(framework: str, timer: str) -> None:
    """Import what the timer needs, then answer requests until there are no more."""
    timers = {"timeit": by_timeit, "torch": by_torch}
    for name in {framework, timer} & {"jax", "torch"}:
        importlib.import_module(name)
    print("ready", flush=True)
    for line in sys.stdin:
        timer, number, name = line.strip().split(" ", 2)
        print(timers[timer](framework, name, int(number)), flush=True)


if __name__ == "__main__":
    answer(*sys.argv[1:])
