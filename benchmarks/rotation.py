"""Inputs that are used in turn, such that they do not stay in a processor's cache."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import framework_facts as facts
from jaxvstorch._frameworks.containers import leaves

SMALL_CALLS = 4  # of a small input in a pass
SMALL = 2**20  # bytes
_MOST_INPUTS = 16
_GPU_CACHE = 2**27  # bytes; not every framework tells it


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
