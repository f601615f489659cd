"""Later calls: seconds per call of a function that is compiled and warm."""

import gc
import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import Any

from jaxvstorch._measure.calls import require_tuples
from jaxvstorch._measure.waiting import (
    arrays_of,
    in_fair_thread,
    one_pass,
    require_same_settings,
    thread_settings,
)

Arguments = tuple[Any, ...]

_WARM_SECONDS = 0.05
_ROUND_SECONDS = 1e-3  # some ten thousand times what reading the clock costs
_MIN_ROUNDS = 5


@dataclass(frozen=True)
class Steady:
    """Seconds per call of a warm function.

    Attributes:
        median: of the rounds, in seconds per call.
        spread: the rounds' interquartile range, in seconds per call.
        rounds: how many rounds were timed.
        calls: how many calls each round had.
    """

    median: float
    spread: float
    rounds: int
    calls: int

    def __str__(self) -> str:
        return (
            f"{self.median * 1e6:,.2f} µs per call, interquartile range {self.spread * 1e6:,.2f} µs"
            f" ({self.rounds} rounds of {self.calls} calls)"
        )


def steady(
    function: Callable[..., Any],
    /,
    *args: Any,
    others: Iterable[Arguments] = (),
    seconds: float = 1.0,
    **kwargs: Any,
) -> Steady:
    """Time the later calls of a function, once everything is compiled and warm.

    ``steady`` calls it until it is warm, then times rounds of many calls, with the garbage
    collector off. Unless an argument holds a tensor, the function runs in a separate thread: JAX
    collects Python's call stack on every call, so the same call is slower from deep inside a
    program. Settings made by a ``with`` statement, such as ``jax.enable_x64(True)``, do not reach
    that thread: write them inside the function. PyTorch's operations stay in the caller's thread,
    because they were slower in a second one.

    Args:
        function: what to time: compiled or not, from JAX, PyTorch or NumPy.
        *args: its arguments, already on the device.
        others: more argument tuples, used in turn with ``args``. For large arrays, pass so
            many that they do not all stay in the processor's cache.
        seconds: about how long to time; there are at least five rounds.
        **kwargs: its keyword arguments, the same in each call.

    Raises:
        TypeError: ``function`` cannot be called, it is a generator or ``async``, ``others`` holds
            something other than tuples, or the function accepts JAX arrays and returns
            nothing to wait for.
        ValueError: ``seconds`` is not a positive number.
        RuntimeError: the caller is inside a ``with`` statement whose setting would be lost.

    >>> import numpy as np
    >>> steady(np.sin, np.linspace(0, 1, 9), seconds=0.05).rounds >= 5
    True
    """
    if not isinstance(others, Iterable):
        raise TypeError(f"others must be a list of argument tuples, not {type(others).__name__}")
    inputs = [args, *others]
    require_tuples(function, inputs)
    seconds = _positive(seconds)
    settings = thread_settings()

    def measure() -> Steady:
        require_same_settings(settings)
        run = one_pass(function, inputs, kwargs)
        warm(run)
        return _time_rounds(run, len(inputs), seconds)

    return in_fair_thread(measure, with_torch=bool(arrays_of("torch", (inputs, kwargs))))


def _positive(seconds: Any) -> float:
    plain = isinstance(seconds, Real) and not isinstance(seconds, bool)
    try:
        value = float(seconds) if plain else math.nan
    except OverflowError:  # an integer can be too large for one
        value = math.inf
    if not 0 < value < math.inf:
        raise ValueError(
            f"seconds must be a positive number, not {value if plain else repr(seconds)}"
        )
    return value


def warm(run: Callable[[], None], seconds: float = _WARM_SECONDS) -> None:
    """Run at least twice, and until ``seconds`` have passed, so that no first call is timed."""
    end = time.perf_counter() + seconds
    run()
    run()
    while time.perf_counter() < end:
        run()


def _time_rounds(run: Callable[[], None], calls_per_run: int, seconds: float) -> Steady:
    with _garbage_collector_off():
        runs = 1
        while (duration := _time(run, runs)) < _ROUND_SECONDS:
            runs = max(runs + 1, int(1.2 * runs * _ROUND_SECONDS / max(duration, 1e-7)))
        rounds = max(_MIN_ROUNDS, int(seconds / duration))
        calls = runs * calls_per_run
        times = [_time(run, runs) / calls for _ in range(rounds)]
    low, median, high = statistics.quantiles(times, n=4, method="inclusive")
    return Steady(median, high - low, rounds, calls)


def _time(run: Callable[[], None], runs: int) -> float:
    start = time.perf_counter()
    for _ in range(runs):
        run()
    return time.perf_counter() - start


@contextmanager
def _garbage_collector_off() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
