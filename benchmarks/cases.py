"""What is timed: a case is one function at one size, in one framework and one mode."""

import functools
import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import framework_facts as facts
from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import leaves
from jaxvstorch._measure import fresh_calls
from jaxvstorch._measure.later_calls import warm
from jaxvstorch._measure.waiting import one_pass
from jaxvstorch._pairs.pair import Pair

Run = Callable[[], None]

PASSES = 16  # in a run, where one pass is so short that what surrounds it would count:
SHORT = 1e-4  # seconds

# Inputs are used in turn, so that they do not stay in a processor's cache.
SMALL_CALLS = 4  # of a small input in a pass
SMALL = 2**20  # bytes
_MOST_INPUTS = 16
_GPU_CACHE = 2**27  # bytes; not every framework tells it


@dataclass(frozen=True)
class Work:
    """A case whose inputs are ready.

    Attributes:
        start: compiles, and returns what is timed: one pass over the inputs.
        calls: how many calls one pass makes.
        longer: the same with ``PASSES`` of them, for where one is ``SHORT``.
        fresh: times the calls of a fresh process, in seconds: the first, and one with a new shape.
        moved: bytes that a call must read and write, where memory is the limit.
        streamed: bytes of a call's arguments, where they do not stay in a cache from pass to pass.
        operations: floating-point operations that a call must make, where they are known.
        memory: finds the bytes that a call needs at once, its arguments and results among them.
        ask: asks for the calls of one pass without waiting, and returns the last result.
        after: called after each round, outside what is timed; each round is then one run.
        sample: gives one result, so that its dtype can be stated.
    """

    start: Callable[[], Run]
    calls: int = 1
    longer: Callable[[], Run] | None = None
    fresh: Callable[[], list[float]] | None = None
    moved: int = 0
    streamed: int = 0
    operations: int = 0
    memory: Callable[[], int] | None = None
    ask: Callable[[], Any] | None = None
    after: Run | None = None
    sample: Callable[[], Any] | None = None

    def begin(self) -> tuple[Run, int]:
        """What is timed, warmed up, and how many calls one run of it makes."""
        run = self.start()
        warm(run)
        if self.longer is None or min(timeit.repeat(run, number=1, repeat=3)) > SHORT:
            return run, self.calls
        run = self.longer()
        warm(run)
        return run, PASSES * self.calls

    def facts(self) -> dict[str, Any]:
        """What is stated beside the times: the first result's dtype, bytes, operations."""
        results = leaves(self.sample()) if self.sample else []
        dtype = str(getattr(results[0], "dtype", "")) if results else ""
        streamed = self.streamed and self.streamed + bytes_of(results)
        return {
            "dtype": dtype.removeprefix("torch."),
            "moved": self.moved or streamed,
            "operations": self.operations,
            "memory": self.memory() if self.memory else 0,
        }


@dataclass(frozen=True)
class Case:
    """One thing to time. The attributes are those of ``benchmarks.report.entries.Record``."""

    topic: str
    name: str
    size: int
    framework: str
    mode: str
    build: Callable[[], Work]

    def __str__(self) -> str:
        return f"{self.topic}.{self.name}-{self.size}-{self.framework}-{self.mode}"


def pair_case(pair: Pair, size: int, framework: str, mode: str, other: int | None = None) -> Case:
    """A pair from the registry.

    Args:
        pair: which.
        size: of its inputs.
        framework: ``"numpy"`` times its reference.
        mode: ``"eager"`` or ``"compiled"``.
        other: another size; then the first call and the call with this new shape are timed too.
    """
    build = partial(_build_pair, pair, size, framework, mode, other)
    return Case(pair.topic, pair.name, size, framework, mode, build)


def _build_pair(pair: Pair, size: int, framework: str, mode: str, other: int | None) -> Work:
    cache = cache_size(framework)
    inputs = _numpy_inputs(pair, size, cache)
    fresh = None
    function = pair.reference if framework == "numpy" else pair.half(framework)
    assert function is not None  # a pair without a reference is not timed
    if framework != "numpy":
        inputs = [pair.to_framework(framework, arguments) for arguments in inputs]
    if other is not None:
        calls = [inputs[0], pair.to_framework(framework, pair.make_inputs(other))]
        options: dict[str, Any] = {
            "static_argnames": pair.static, "framework": framework, "after_another": True,
        }  # fmt: skip
        address = f"jaxvstorch.examples.{pair.topic}.{framework}:{pair.name}"
        fresh = partial(fresh_calls, address, *calls, **options)
    if mode == "compiled":
        function = compiled(framework, function, pair.static)
    count = pair.benchmark.operations
    operations = count(size) if count else 0
    return calling(
        function, inputs, fresh=fresh, streamed=streamed(inputs, cache), operations=operations
    )


@functools.lru_cache(maxsize=1)
def _numpy_inputs(pair: Pair, size: int, cache: int) -> list[tuple[Any, ...]]:
    """Kept for the pair's next mode, which is the next case: each framework makes its own copy."""
    return rotated(lambda seed: pair.make_inputs(size, seed=seed), cache)


def calling(function: Callable[..., Any], inputs: list[tuple[Any, ...]], **more: Any) -> Work:
    """Calls of one function with each of the inputs in turn."""
    sample = partial(function, *inputs[0])
    ask = partial(_ask, function, inputs)
    start, longer = (partial(one_pass, function, inputs * passes) for passes in (1, PASSES))
    return Work(start, len(inputs), longer, sample=sample, ask=ask, **more)


def _ask(function: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> Any:
    for arguments in inputs:
        result = function(*arguments)
    return result


def compiled(
    framework: str, function: Callable[..., Any], static: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """The function compiled with nothing remembered of other sizes.

    PyTorch would make the code for a second shape general, and JAX's would stay special: each
    size is compiled for itself.
    """
    if framework == "torch":
        import torch

        torch.compiler.reset()
    result: Callable[..., Any] = _frameworks.adapter(framework).compile(function, static)
    return result


def rotated(make: Callable[[int], tuple[Any, ...]], cache: int) -> list[tuple[Any, ...]]:
    """Inputs by several seeds, where one would stay in the cache and flatter the next call.

    Together they are twice the size of the cache. Small inputs are always in a cache.
    """
    first = make(0)
    size = bytes_of(first)
    if size < SMALL:
        return [first] * SMALL_CALLS
    count = min(_MOST_INPUTS, -(-2 * cache // size))
    return [first, *(make(seed) for seed in range(1, count))]


def cache_size(framework: str) -> int:
    """The largest cache of what computes, in bytes; of a GPU the largest that GPUs have."""
    return _GPU_CACHE if facts.computes_elsewhere(framework) else last_level_cache()


def last_level_cache() -> int:
    """The processor's, in bytes; 32 MiB where the system does not say."""
    paths = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    sizes = [path.read_text().strip() for path in paths]
    return max((int(text[:-1]) * 1024 for text in sizes if text.endswith("K")), default=2**25)


def streamed(inputs: list[tuple[Any, ...]], cache: int) -> int:
    """Bytes of one call's arguments; 0 where a pass over all inputs fits into a cache."""
    size = bytes_of(inputs[0])
    return size if len(inputs) * size >= 2 * cache else 0


def bytes_of(arrays: Sequence[Any]) -> int:
    """The bytes of all arrays among some values, and in the containers among them."""
    return sum(getattr(array, "nbytes", 0) for array in leaves(arrays))
