"""Which cases a session times."""

import importlib
import pkgutil
from collections.abc import Iterator

from benchmarks import workloads
from benchmarks.accelerator import largest_size
from benchmarks.cases import Case, pair_case
from jaxvstorch.registry import PAIRS, Pair

FRAMEWORKS = ("numpy", "jax", "torch")  # each is timed in a process of its own

# The first is so small that calling the function is what costs.
SIZES = (16, 65_536)

# Pairs with sizes of their own. A pair's first size is also the size of its first call, and its
# second that of the new shape.
SIZES_BY_PAIR: dict[str, tuple[int, ...]] = {
    "branching.select_where": (16, 1_000, 100_000, 10_000_000),
    "loops.evolve_scan": (16, 65_536, 250_000),
    "purity.squared_deviations": (16, 65_536, 1_000_000),
    "static_args.loss_where": (16, 65_536, 1_000_000),
    "tracing.matmul": (16, 1_024),  # sides of a matrix
    "tracing.polynomial_sum": (100, 1_000, 100_000, 1_000_000),
    "tracing.sin_cos": (9, 1_000, 100_000, 10_000_000),
}

# What `--quick` times of them. Each is also a size of the full set: so its ratio can be compared.
QUICK: dict[str, tuple[int, ...]] = {
    "branching.expensive_cond": (65_536,),
    "branching.expensive_where": (65_536,),
    "branching.select_cond": (16,),
    "branching.select_where": (16, 100_000),
    "loops.evolve_scan": (16, 65_536),
    "tracing.matmul": (1_024,),
    "tracing.polynomial_sum": (100, 1_000),
    "tracing.sin_cos": (9, 100_000),
}

# What is also timed at a size that fills a GPU, where there is one: elements as its memory allows,
# or a matrix's side.
ON_GPU = (
    "branching.select_where",
    "loops.evolve_scan",
    "purity.squared_deviations",
    "static_args.loss_where",
    "tracing.polynomial_sum",
    "tracing.sin_cos",
)
SIDE_ON_GPU = {"tracing.matmul": 8_192}

# Impure pairs that repeated calls would not leave as they were.
NOT_TIMED = {
    "tracing.print_in_program": "it prints at every call",
    "purity.centered": "it writes into its argument, so the second call has another one",
    "purity.counted": "it counts its calls, and JAX's program does not",
    "purity.summed_squares": "it keeps an array of each call",
}

# Compiled for one shape only, so without a first call and a new shape in a fresh process.
ONE_SHAPE = {
    "branching.expensive_cond_batch": "once a shape has changed PyTorch makes it a symbol, and "
    "`torch.vmap` of `torch.cond` does not compile with symbols",
}


def cases(framework: str, quick: bool = False, gpu_memory: int = 0) -> list[Case]:
    """Every case of one framework: pairs from the registry, then the workloads.

    Args:
        framework: which.
        quick: only the few of a quick session.
        gpu_memory: bytes of the GPU that every framework but NumPy computes on; 0 for none.
    """
    found = [
        case
        for pair in PAIRS if not why_not_timed(pair)
        for case in _of(pair, framework, quick, gpu_memory)
    ]  # fmt: skip
    for module in pkgutil.iter_modules(workloads.__path__):
        workload = importlib.import_module(f"benchmarks.workloads.{module.name}")
        found += workload.cases(framework, quick, gpu_memory)
    return found


def why_not_timed(pair: Pair) -> str:
    """Why a pair is left out; empty where it is timed."""
    if str(pair) in NOT_TIMED:
        return NOT_TIMED[str(pair)]
    if pair.reference is None:
        return "there is no one answer"
    if not pair.jit:
        return "`jax.jit` refuses it"
    return "" if pair.fullgraph else "`torch.compile` breaks its graph"


def _of(pair: Pair, framework: str, quick: bool, gpu_memory: int) -> Iterator[Case]:
    sizes = QUICK.get(str(pair), ()) if quick else SIZES_BY_PAIR.get(str(pair), SIZES)
    if sizes and gpu_memory and framework != "numpy":
        sizes += tuple(s for s in _sizes_on_gpu(str(pair), gpu_memory) if s not in sizes)
    for size in sizes:
        yield pair_case(pair, size, framework, "eager")
        if framework != "numpy":
            other = next((s for s in sizes if s != size), size // 2) if size == sizes[0] else None
            other = None if str(pair) in ONE_SHAPE else other
            yield pair_case(pair, size, framework, "compiled", other)


def _sizes_on_gpu(name: str, gpu_memory: int) -> tuple[int, ...]:
    if name in SIDE_ON_GPU:
        return (SIDE_ON_GPU[name],)
    return (largest_size(gpu_memory),) if name in ON_GPU else ()
