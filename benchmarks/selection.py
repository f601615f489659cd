"""Which cases a session times."""

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace

from benchmarks import workloads
from benchmarks.cases import Case, pair_case
from benchmarks.machine import largest_size
from jaxvstorch._frameworks import SYNCHRONOUS
from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch._pairs.registry import PAIRS

FRAMEWORKS = ("numpy", "jax", "torch")  # each is timed in processes of its own


def cases(
    framework: str, quick: bool = False, gpu_memory: int = 0, synchronous: bool = False
) -> list[Case]:
    """Every case of one framework: pairs from the registry, then the workloads.

    Args:
        framework: which.
        quick: only the few of a quick session.
        gpu_memory: bytes of the GPU that every framework but NumPy computes on; 0 for none.
        synchronous: the pairs alone, compiled, for a process in which JAX's calls on a CPU hand
            nothing over to another thread.
    """
    chosen = [
        case
        for pair in PAIRS if not why_not_timed(pair)
        for case in _of(pair, framework, quick, gpu_memory)
    ]  # fmt: skip
    if synchronous:
        compiled = [case for case in chosen if case.mode == "compiled"]
        return [replace(case, mode=f"{case.mode}{SYNCHRONOUS}") for case in compiled]
    for module in pkgutil.iter_modules(workloads.__path__):
        workload = importlib.import_module(f"benchmarks.workloads.{module.name}")
        chosen += workload.cases(framework, quick, gpu_memory)
    return chosen


def why_not_timed(pair: Pair) -> str:
    """Why a pair is left out; empty where it is timed."""
    if pair.benchmark.skip:
        return pair.benchmark.skip
    if pair.reference is None:
        return "it has no single right answer"
    if not pair.jit:
        return "`jax.jit` refuses it"
    return "" if pair.fullgraph else "`torch.compile` breaks its graph"


def _of(pair: Pair, framework: str, quick: bool, gpu_memory: int) -> Iterator[Case]:
    sizes = pair.benchmark.quick if quick else pair.benchmark.sizes
    if sizes and gpu_memory and framework != "numpy":
        sizes += tuple(s for s in _sizes_on_gpu(pair.benchmark, gpu_memory) if s not in sizes)
    for size in sizes:
        yield pair_case(pair, size, framework, "eager")
        if framework != "numpy":
            other = next((s for s in sizes if s != size), size // 2) if size == sizes[0] else None
            other = None if pair.benchmark.one_shape else other
            yield pair_case(pair, size, framework, "compiled", other)


def _sizes_on_gpu(benchmark: Benchmark, gpu_memory: int) -> tuple[int, ...]:
    if benchmark.gpu_size is None:
        return ()
    return (largest_size(gpu_memory) if benchmark.gpu_size == "memory" else benchmark.gpu_size,)
