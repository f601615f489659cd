"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.vectorization import inputs, reference

POSITION = (3, 2)  # the part of the book, and the position there

PAIRS = (
    Pair(
        "dot_batch",
        inputs.two_batches,
        reference.dot,
        gradient=(0, 1),
        benchmark=Benchmark(quick=(16,)),
    ),
    Pair(
        "affine_shared",
        inputs.affine,
        reference.affine_shared,
        gradient=(0, 1, 2),
        benchmark=Benchmark(quick=(65_536,)),
    ),
    Pair("affine_each", inputs.models, reference.affine_each, gradient=(0, 1, 2)),
    Pair("attention_heads", inputs.heads, reference.attention, gradient=(0, 1, 2)),
    Pair(
        "pairwise_distances",
        inputs.points,
        reference.distances,
        gradient=(0, 1),
        benchmark=Benchmark(quick=(65_536,)),
    ),
    Pair("kernel_matrix", inputs.numbers, reference.kernel, gradient=(0, 1)),
    Pair("interpolate_batch", inputs.curves, reference.interpolate, gradient=(0, 2)),
    Pair("solve_batch", inputs.systems, reference.solve, gradient=(0, 1)),
    Pair("normalize_batch", inputs.batch, reference.normalize_batch, gradient=(0,)),
    Pair("cosines", inputs.directions, reference.cosines, gradient=(0, 1)),
    Pair("mean_positive", inputs.signed, reference.mean_positive, gradient=(0,)),
    Pair("newton_batch", inputs.positive, reference.sqrt),  # JAX has no reverse of while_loop
)
