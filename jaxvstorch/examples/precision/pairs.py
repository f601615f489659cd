"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.precision import inputs, reference

POSITION = (4, 6)  # the part of the book, and the position there
# Results in float32 that have been through bfloat16, or through float16: their roundings.
THROUGH_BFLOAT16 = 16_384.0
THROUGH_FLOAT16 = 2_048.0
IN_A_LOOP = Benchmark(skip="PyTorch's half is a Python loop over the numbers")

PAIRS = (
    Pair("network_loss", inputs.unsaturated, reference.loss, gradient=(0,)),
    Pair(
        "mixed_loss",
        inputs.unsaturated,
        reference.loss,
        gradient=(0,),
        tolerance=THROUGH_BFLOAT16,
    ),
    Pair("layer_norm_mixed", inputs.rows, reference.layer_norm, gradient=(0,)),
    Pair(
        "dot_accumulated",
        inputs.matrices,
        reference.dot,
        gradient=(0, 1),
        benchmark=Benchmark(
            sizes=(16, 65_536, 1_048_576), operations=lambda size: 2 * int(size**0.5) ** 3
        ),
    ),
    Pair("sum_in_order", inputs.numbers, reference.total, gradient=(0,), benchmark=IN_A_LOOP),
    Pair("sum_compensated", inputs.numbers, reference.total, gradient=(0,), benchmark=IN_A_LOOP),
    Pair("scaled_gradient", inputs.regression, reference.gradient, tolerance=THROUGH_FLOAT16),
    Pair("guarded_step", inputs.step, reference.guarded_step),
    Pair("stochastic_round", inputs.rounding, reference.stochastic_round),
)
