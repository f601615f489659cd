"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.ecosystem import inputs, reference

POSITION = (6, 4)  # the part of the book, and the position there

PAIRS = (
    Pair("cross_entropy", inputs.classes, reference.cross_entropy, gradient=(0,)),
    Pair(
        "layer_norm",
        inputs.rows,
        reference.layer_norm,
        gradient=(0, 1, 2),
        benchmark=Benchmark(quick=(65_536,)),
    ),
    Pair("normal_log_density", inputs.normal, reference.normal_log_density, gradient=(0, 1, 2)),
    Pair("huber_loss", inputs.predicted, reference.huber_loss, gradient=(0, 1)),
    Pair("interpolate_linear", inputs.knots, reference.interpolate_linear, gradient=(0, 2)),
    Pair("convolve_same", inputs.signal, reference.convolve_same, gradient=(0, 1)),
    # JAX differentiates the equation, PyTorch the steps: equal only where the steps have converged.
    Pair("solve_cg", inputs.system, reference.solve_cg, static=("steps",)),
    Pair("adam_step", inputs.optimizer, reference.adam_step, gradient=(0, 1)),
    Pair("segment_sum", inputs.segments, reference.segment_sum, gradient=(0,), static=("number",)),
    Pair("trapezoid", inputs.curve, reference.trapezoid, gradient=(0, 1)),
)
