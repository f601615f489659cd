"""The pairs of this topic: what tests and benchmarks must know about each."""

from math import isqrt

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.timing import inputs, reference

POSITION = (5, 1)  # the part of the book, and the position there

# One so large that the arrays do not stay in a cache: what memory moves is then the limit.
LARGE = (16, 65_536, 10_000_000)


def _left(size: int) -> int:
    """Operations of a product of two matrices, and of one with a vector."""
    return 2 * isqrt(size) ** 3 + 2 * isqrt(size) ** 2


PAIRS = (
    Pair(
        "selu",
        inputs.vector,
        reference.selu,
        gradient=(0,),
        benchmark=Benchmark(sizes=(16, 1_000_000), quick=(16,)),
    ),
    Pair(
        "gelu",
        inputs.between,
        reference.gelu,
        gradient=(0,),
        benchmark=Benchmark(sizes=LARGE, quick=(65_536,), gpu_size="memory"),
    ),
    Pair("polynomial", inputs.polynomial, reference.polynomial, gradient=(0, 1)),
    Pair("moving_average", inputs.series, reference.moving_average, gradient=(0,)),
    Pair(
        "sin_and_cos",
        inputs.vector,
        reference.sin_and_cos,
        gradient=(0,),
        benchmark=Benchmark(sizes=LARGE),
    ),
    Pair(
        "mean_squared_error",
        inputs.two_vectors,
        reference.mean_squared_error,
        gradient=(0, 1),
        benchmark=Benchmark(sizes=LARGE),
    ),
    Pair("log_sum_exp", inputs.rows, reference.log_sum_exp, gradient=(0,)),
    Pair(
        "normalize_rows",
        inputs.rows,
        reference.normalize_rows,
        gradient=(0,),
        benchmark=Benchmark(sizes=LARGE),
    ),
    Pair("dense", inputs.dense, reference.dense, gradient=(0, 1, 2)),
    Pair("growth", inputs.rates, reference.growth, gradient=(0,)),
    Pair(
        "product_left",
        inputs.two_matrices,
        reference.product,
        gradient=(0, 1, 2),
        benchmark=Benchmark(operations=_left),
    ),
    Pair(
        "product_right",
        inputs.two_matrices,
        reference.product,
        gradient=(0, 1, 2),
        benchmark=Benchmark(operations=lambda size: 4 * isqrt(size) ** 2),
    ),
)
