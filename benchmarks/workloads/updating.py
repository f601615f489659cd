"""One row of a large buffer replaced without a copy: donated in JAX, in place in PyTorch."""

from functools import partial
from typing import Any

from benchmarks.cases import Case, Work, calling, compiled
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS

SIZE = 4_194_304  # the pair's largest: 16 MB of float32


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """The pair ``updates.ring_write``, which alone copies the buffer, without the copy."""
    ways = {"jax": ("compiled, donated", _donated), "torch": ("compiled, in place", _in_place)}
    if quick or framework not in ways:
        return []
    mode, build = ways[framework]
    (pair,) = (pair for pair in PAIRS if str(pair) == "updates.ring_write")
    return [Case("updates", pair.name, SIZE, framework, mode, partial(build, pair))]


def _donated(pair: Pair) -> Work:
    """Each call gives its buffer's memory to its result, which is the next call's buffer."""
    import jax

    buffer, *rest = pair.to_framework("jax", pair.make_inputs(SIZE))
    write = jax.jit(pair.half("jax"), donate_argnums=0)

    def run() -> None:
        nonlocal buffer
        buffer = write(buffer, *rest).block_until_ready()

    return Work(lambda: run, sample=lambda: buffer)


def _in_place(pair: Pair) -> Work:
    def write(buffer: Any, written: Any, row: Any) -> Any:
        buffer[written % len(buffer)] = row
        return buffer

    arguments = pair.to_framework("torch", pair.make_inputs(SIZE))
    return calling(compiled("torch", write), [arguments])
