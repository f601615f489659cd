"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.randomness import inputs, reference

POSITION = (2, 2)  # the part of the book, and the position there

PAIRS = (
    Pair("dropout", inputs.dropout, None, fullgraph=False),
    Pair("estimate_pi", inputs.points, None, static=("points",), fullgraph=False),
    Pair("noisy_batch", inputs.batch, None, fullgraph=False),
    Pair("dropout_with_mask", inputs.masked, reference.dropout_with_mask, gradient=(0,)),
    Pair(
        "exponential_from_uniform",
        inputs.uniform_and_rate,
        reference.exponential_from_uniform,
        gradient=(0, 1),
    ),
    Pair("box_muller", inputs.two_uniform, reference.box_muller, gradient=(0, 1)),
    Pair(
        "gumbel_max",
        inputs.logits,
        reference.gumbel_max,
        benchmark=Benchmark(sizes=(16, 65_536, 1_000_000), gpu_size="memory"),
    ),
    Pair("shuffle_by_noise", inputs.vector_and_noise, reference.shuffle_by_noise, gradient=(0,)),
    Pair(
        "reparameterized_normal",
        inputs.normal,
        reference.reparameterized_normal,
        gradient=(0, 1),
    ),
    Pair("metropolis_step", inputs.chains, reference.metropolis_step),
)
