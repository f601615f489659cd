"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.checkpoints import inputs, reference

POSITION = (4, 5)  # the part of the book, and the position there

PAIRS = (
    Pair(
        "adamw_step",
        inputs.optimizer,
        reference.adamw_step,
        gradient=(0, 1, 5),
        tolerance=4.0,  # 0.999 is rounded in float32, and 1 - 0.999**count has lost digits
    ),
    Pair(
        "rate_at",
        inputs.step,
        reference.rate_at,
        benchmark=Benchmark(skip="one number: only the calls would be timed"),
    ),
    Pair("dropout_gradient", inputs.batch, reference.dropout_gradient),
    Pair("mean_of_checkpoints", inputs.checkpoints, reference.mean_of_checkpoints, gradient=(0,)),
    Pair("largest_difference", inputs.two, reference.largest_difference),
    Pair("all_finite", inputs.one, reference.all_finite),
    Pair("grow_rows", inputs.table, reference.grow_rows, gradient=(0,), static=("rows",)),
)
