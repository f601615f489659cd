"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.optimizers import inputs, reference

POSITION = (4, 3)  # the part of the book, and the position there
LARGE = Benchmark(sizes=(16, 65_536, 1_048_576))  # parameters

PAIRS = (
    Pair("nesterov_step", inputs.momentum, reference.nesterov_step, benchmark=LARGE),
    Pair(
        "adamw_step",
        inputs.moments,
        reference.adamw_step,
        benchmark=Benchmark(sizes=(16, 65_536, 1_048_576), quick=(65_536,)),
    ),
    Pair("rmsprop_step", inputs.squares, reference.rmsprop_step, benchmark=LARGE),
    Pair("lion_step", inputs.momentum, reference.lion_step, benchmark=LARGE),
    Pair("clip_by_global_norm", inputs.gradients, reference.clip_by_global_norm, benchmark=LARGE),
    Pair(
        "warmup_cosine",
        inputs.step,
        reference.warmup_cosine,
        benchmark=Benchmark(skip="it computes one number"),
    ),
    Pair("grouped_step", inputs.layer, reference.grouped_step, benchmark=LARGE),
)
