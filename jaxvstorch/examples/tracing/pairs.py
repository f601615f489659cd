"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.tracing import inputs, reference

POSITION = (1, 1)  # the part of the book, and the position there

PAIRS = (
    Pair(
        "sin_cos",
        inputs.angles,
        reference.sin_cos,
        gradient=(0,),
        benchmark=Benchmark(
            sizes=(9, 1_000, 100_000, 10_000_000), quick=(9, 100_000), gpu_size="memory"
        ),
    ),
    Pair(
        "polynomial_sum",
        inputs.positive,
        reference.polynomial_sum,
        gradient=(0,),
        benchmark=Benchmark(
            sizes=(100, 1_000, 100_000, 1_000_000), quick=(100, 1_000), gpu_size="memory"
        ),
    ),
    Pair(
        "matmul",
        inputs.square_matrices,
        reference.matmul,
        gradient=(0, 1),
        benchmark=Benchmark(
            sizes=(16, 1_024), quick=(1_024,), gpu_size=8_192, operations=lambda side: 2 * side**3
        ),
    ),
    Pair(
        "three_ratios",
        inputs.ratio,
        reference.three_ratios,
        gradient=(0, 1),
        # The sizes of sin_cos: arithmetic beside two functions that each compiler has its own of.
        benchmark=Benchmark(
            sizes=(9, 1_000, 100_000, 10_000_000), quick=(9, 100_000), gpu_size="memory"
        ),
    ),
    Pair("print_in_python", inputs.angles, reference.sin_plus_one, gradient=(0,), fullgraph=False),
    Pair(
        "print_in_program",
        inputs.angles,
        reference.sin_plus_one,
        gradient=(0,),
        benchmark=Benchmark(skip="it prints at every call"),
    ),
    Pair("affine", inputs.affine, reference.affine, gradient=(0, 2), static=("squared",)),
    Pair("layer", inputs.layer, reference.layer, gradient=(0, 1)),
    Pair("nested_layer", inputs.layer, reference.layer, gradient=(0, 1)),
    Pair("layers", inputs.layers, reference.layers, gradient=(0, 1), static=("num_layers",)),
    Pair("nested_layers", inputs.layers, reference.layers, gradient=(0, 1), static=("num_layers",)),
)
