"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.static_args import inputs, reference

POSITION = (1, 3)  # the part of the book, and the position there

PAIRS = (
    Pair("loss", inputs.loss, reference.loss, gradient=(0, 1), static=("robust",)),
    Pair(
        "loss_where",
        inputs.loss_where,
        reference.loss,
        gradient=(0, 1),
        benchmark=Benchmark(sizes=(16, 65_536, 1_000_000), gpu_size="memory"),
    ),
    Pair("relu", inputs.activation, reference.relu, gradient=(0,)),
    Pair("tanh", inputs.activation, reference.tanh, gradient=(0,)),
    Pair("gated", inputs.gated, reference.gated, gradient=(0, 1), static=("activation",)),
    Pair("gated_by_name", inputs.named, reference.named, gradient=(0, 1), static=("name",)),
    Pair("samples", inputs.samples, reference.samples, gradient=(0,), static=("num_samples",)),
    Pair("samples_like", inputs.samples_like, reference.samples_like, gradient=(0,)),
    Pair("mean_over", inputs.mean_over, reference.mean_over, gradient=(0,), static=("axes",)),
    Pair("scaled", inputs.scaled, reference.scaled, gradient=(0,)),
)
