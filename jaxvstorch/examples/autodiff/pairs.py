"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.autodiff import inputs, reference

POSITION = (3, 1)  # the part of the book, and the position there
# The weights grow with the square of the size.
IN_BLOCKS = Benchmark(sizes=(16, 2_048))

PAIRS = (
    Pair("rosenbrock_gradient", inputs.vector, reference.rosenbrock_gradient, gradient=(0,)),
    Pair(
        "regression_gradients",
        inputs.regression,
        reference.regression_gradients,
        gradient=(0, 1, 2),
    ),
    Pair(
        "tanh_derivative",
        inputs.derivative,
        reference.tanh_derivative,
        gradient=(0,),
        static=("order",),
    ),
    # Inductor's backward of what forward mode made fails: the topic's page shows it.
    Pair("jacobian_forward", inputs.tall, reference.jacobian, tolerance=8),
    Pair("jacobian_reverse", inputs.wide, reference.jacobian, gradient=(0, 1), tolerance=8),
    Pair("log_sum_exp_hvp", inputs.curvature, reference.log_sum_exp_hvp),
    Pair("log_sum_exp_hessian_times", inputs.curvature, reference.log_sum_exp_hvp),
    Pair("rosenbrock_hessian_diagonal", inputs.vector, reference.rosenbrock_hessian_diagonal),
    Pair(
        "per_example_gradients", inputs.examples, reference.per_example_gradients, gradient=(0, 1)
    ),
    # The rule is not the derivative: the topic's page tests it.
    Pair("round_straight_through", inputs.vector, reference.round_half_even),
    Pair("kepler", inputs.orbits, reference.kepler, gradient=(0, 1)),
    Pair("log1pexp", inputs.vector, reference.log1pexp, gradient=(0,)),
    Pair("clip_gradient", inputs.clip, reference.identity),  # its rule is not the derivative
    Pair(
        "residual_mlp",
        inputs.blocks,
        reference.residual_mlp,
        gradient=(0, 1, 2),
        tolerance=8,
        benchmark=IN_BLOCKS,
    ),
    Pair(
        "residual_mlp_checkpointed",
        inputs.blocks,
        reference.residual_mlp,
        gradient=(0, 1, 2),
        tolerance=8,
        benchmark=IN_BLOCKS,
    ),
)
