"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.memory import inputs, reference

POSITION = (5, 2)  # the part of the book, and the position there
# Weights grow with the square of the width.
IN_LAYERS = Benchmark(sizes=(16, 2_048))
LARGE = Benchmark(sizes=(16, 65_536, 1_048_576))  # scores or logits

PAIRS = (
    Pair(
        "momentum_step",
        inputs.step,
        reference.momentum_step,
        benchmark=Benchmark(skip="PyTorch's half writes into its arguments"),
    ),
    Pair("kernel_means", inputs.points, reference.kernel_means, gradient=(0,), benchmark=LARGE),
    Pair(
        "kernel_means_chunked",
        inputs.points,
        reference.kernel_means,
        gradient=(0,),
        benchmark=LARGE,
    ),
    Pair(
        "attention_full",
        inputs.attention,
        reference.attention,
        gradient=(0, 1, 2),
        benchmark=Benchmark(sizes=(16, 65_536, 1_048_576), quick=(65_536,)),
    ),
    Pair(
        "attention_chunked",
        inputs.attention,
        reference.attention,
        gradient=(0, 1, 2),
        benchmark=LARGE,
    ),
    Pair(
        "cross_entropy_full",
        inputs.tokens,
        reference.cross_entropy,
        gradient=(0, 1),
        benchmark=LARGE,
    ),
    Pair(
        "cross_entropy_chunked",
        inputs.tokens,
        reference.cross_entropy,
        gradient=(0, 1),
        benchmark=LARGE,
    ),
    Pair("layers", inputs.layers, reference.layers, gradient=(0, 1), benchmark=IN_LAYERS),
    Pair(
        "layers_rematerialized",
        inputs.layers,
        reference.layers,
        gradient=(0, 1),
        benchmark=IN_LAYERS,
    ),
    Pair(
        "layers_saving_products",
        inputs.layers,
        reference.layers,
        gradient=(0, 1),
        benchmark=IN_LAYERS,
    ),
    Pair(
        "layers_in_segments",
        inputs.layers,
        reference.layers,
        gradient=(0, 1),
        benchmark=IN_LAYERS,
    ),
    Pair("accumulated_gradient", inputs.batch, reference.mean_gradient),
)
