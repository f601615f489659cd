"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Pair
from jaxvstorch.examples.pytrees import inputs, reference

POSITION = (2, 3)  # the part of the book, and the position there

PAIRS = (
    Pair("sgd_step", inputs.step, reference.sgd_step, gradient=(0, 1)),
    Pair("global_norm", inputs.tree, reference.global_norm, gradient=(0,)),
    Pair(
        "clip_by_global_norm",
        inputs.clip,
        reference.clip_by_global_norm,
        gradient=(0,),
        tolerance=8,
    ),
    Pair("decay_weights", inputs.decay, reference.decay_weights, gradient=(0,)),
    Pair("average", inputs.average, reference.average, gradient=(0, 1)),
    Pair("mlp_apply", inputs.network, reference.mlp_apply, gradient=(0, 1), tolerance=8),
    # It is a gradient, and what torch.compile made has no second one.
    Pair("mlp_gradients", inputs.training, reference.mlp_gradients, tolerance=8),
    Pair("flatten_to_vector", inputs.named, reference.flatten_to_vector, gradient=(0,)),
    Pair("stack_trees", inputs.trees, reference.stack_trees, gradient=(0,)),
    Pair("ensemble_apply", inputs.ensemble, reference.ensemble_apply, gradient=(0, 1), tolerance=8),
    # `1 - 0.999**count` loses three digits.
    Pair("adam_step", inputs.adam, reference.adam_step, gradient=(0, 1), tolerance=32),
)
