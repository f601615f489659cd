"""Is the harness's clock right? The same calls by ``timeit`` and ``torch.utils.benchmark``.

Run as a script, this file is the bare process in which those two measure: it reads one line per
request, ``TIMER NAME``, and answers with seconds per call.
"""

import importlib
import sys
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

TRUST = 0.03  # how far the harness's clock may be from another, so how far it is trusted

# What is timed: sin(x) + cos(x) + x on nine numbers, where asking costs more than doing, and
# products of square matrices. They take from some 4 µs to some 50 ms. Nothing here is limited by
# memory: there a call depends on where its arrays lie, and so differs between processes.
SHORTEST = "sin+cos+x of 9"
SIDES = {f"{n:,} by {n:,} product": n for n in (150, 600, 1_800)}
NAMES = (SHORTEST, *SIDES)
SECONDS = 0.3  # about how long each clock times, in rounds as long as pytest-benchmark's:
ROUND_SECONDS = 1e-3
MIN_ROUNDS = 5


def prepare(framework: str, name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function and its arguments, compiled by ``jax.jit`` or as PyTorch runs it eagerly."""
    shape = (9,) if name == SHORTEST else (SIDES[name], SIDES[name])
    x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
    if framework == "jax":
        import jax
        import jax.numpy as jnp

        function = (lambda x: jnp.sin(x) + jnp.cos(x) + x) if x.ndim == 1 else (lambda x: x @ x)
        return jax.jit(function), (jnp.asarray(x),)
    import torch

    if x.ndim == 1:
        return (lambda x: torch.sin(x) + torch.cos(x) + x), (torch.from_numpy(x),)
    return (lambda x: x @ x), (torch.from_numpy(x),)


def by_timeit(framework: str, name: str) -> float:
    """The least of many rounds, in seconds per call: what Python's documentation advises."""
    function, (x,) = prepare(framework, name)
    statement = "f(x).block_until_ready()" if framework == "jax" else "f(x)"
    timer = timeit.Timer(statement, globals={"f": function, "x": x})
    timer.timeit(2)
    number = 1
    while (seconds := timer.timeit(number)) < ROUND_SECONDS:
        number = max(number + 1, int(1.2 * number * ROUND_SECONDS / seconds))
    rounds = max(MIN_ROUNDS, round(SECONDS / seconds))
    return min(timer.repeat(rounds, number)) / number


def by_torch(framework: str, name: str) -> float:
    """The least of PyTorch's own timer's rounds, in seconds per call."""
    import torch
    from torch.utils.benchmark import Timer

    function, (x,) = prepare(framework, name)
    statement = "f(x).block_until_ready()" if framework == "jax" else "f(x)"
    timer = Timer(statement, globals={"f": function, "x": x}, num_threads=torch.get_num_threads())
    timer.timeit(2)
    return float(min(timer.blocked_autorange(min_run_time=SECONDS).times))


def answer(framework: str, timer: str) -> None:
    """Import what the timer needs, then answer requests until there are no more."""
    timers = {"timeit": by_timeit, "torch": by_torch}
    for name in {framework, timer} & {"jax", "torch"}:
        importlib.import_module(name)
    print("ready", flush=True)
    for line in sys.stdin:
        timer, name = line.strip().split(" ", 1)
        print(timers[timer](framework, name), flush=True)


if __name__ == "__main__":
    answer(*sys.argv[1:])
