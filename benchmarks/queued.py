"""Time per call on a device that is kept busy: many calls are asked for, and waited for once.

Where each call is waited for, a small one costs mostly the asking and the waiting.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import framework_facts as facts

ROUNDS = 5
_SECONDS = 0.05  # about how long a round takes
_MOST_PASSES = 1_000

Ask = Callable[[], Any]


def per_call(framework: str, ask: Ask | None, calls: int, waited: float) -> float | None:
    """Seconds per call, the least of several rounds; ``None`` on a CPU, or with no ``ask``.

    Args:
        framework: ``"jax"`` or ``"torch"``.
        ask: asks for some calls without waiting, and returns the last one's result.
        calls: how many.
        waited: about how long one call takes that is waited for, in seconds.
    """
    if ask is None or not facts.computes_elsewhere(framework):
        return None
    passes = max(1, min(_MOST_PASSES, round(_SECONDS / (waited * calls))))
    round_of = {"jax": by_waiting, "torch": by_events}[framework]
    return min(round_of(ask, passes) for _ in range(ROUNDS)) / (passes * calls)


def by_events(ask: Ask, passes: int) -> float:
    """Seconds between two events on the GPU, before and after the calls."""
    import torch

    event = partial(torch.cuda.Event, enable_timing=True)
    start, end = event(), event()
    torch.cuda.synchronize()
    start.record()
    for _ in range(passes):
        ask()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3


def by_waiting(ask: Ask, passes: int) -> float:
    """Seconds until the last result is there; a device works in the order of the asking."""
    import jax

    jax.block_until_ready(ask())
    start = time.perf_counter()
    for _ in range(passes):
        last = ask()
    jax.block_until_ready(last)
    return time.perf_counter() - start
