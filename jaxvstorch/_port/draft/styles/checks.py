"""What the test file of a draft in Equinox or functions checks with, beside ``checks.py``."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxvstorch._port.draft.checks import assert_close, check_outputs, stored, weighted_sum
from jaxvstorch._port.draft.styles import functions_layers as draft


def widened(tree):
    """A tree whose numbers are as wide as JAX computes."""
    return jax.tree.map(lambda x: x.astype(float) if is_float(x) else x, tree)


def is_float(x):
    return hasattr(x, "dtype") and jnp.issubdtype(x.dtype, jnp.floating)


def loaded(tree, values):
    """A model as wide as JAX computes, with the values under PyTorch's names."""
    return draft.from_torch(widened(tree), values)


def loaded_state(model, state, values):
    """The running averages of a model, with the values under PyTorch's names."""
    return draft.state_from_torch(model, widened(state), values)


def check_module(name, model, function):
    """Compare a function's outputs, and the gradients of a model's weights, with PyTorch's."""
    weights, gradients = stored(f"{name}/weights/"), stored(f"{name}/gradients/")
    nothing = {name: np.full(value.shape, np.nan) for name, value in weights.items()}
    expected = jax.tree.leaves(loaded(model, nothing | gradients))
    leaves, structure = jax.tree.flatten(model)

    def loss_fn(floats):
        rest = iter(floats)
        outputs = function(structure.unflatten([next(rest) if is_float(x) else x for x in leaves]))
        return weighted_sum(outputs), outputs

    floats = [x for x in leaves if is_float(x)]
    grads, outputs = jax.grad(loss_fn, has_aux=True)(floats)
    check_outputs(name, outputs)
    expected = [x for x in expected if is_float(x)]
    # A gradient that should be 0 is only roundings, and the largest of all gives its scale.
    size = max((np.nanmax(np.abs(x), initial=0) for x in map(np.asarray, expected)), default=0)
    for a, b in zip(grads, expected, strict=True):
        assert_close(a, b, size)


def check_weights(name, tree):
    """Compare a model's weights with PyTorch's."""
    compare_leaves(tree, loaded(tree, stored(f"{name}/")))


def check_state(name, model, state):
    """Compare the running averages of a model with PyTorch's."""
    compare_leaves(state, loaded_state(model, state, stored(f"{name}/")))


def compare_leaves(*trees):
    leaves = [[x for x in jax.tree.leaves(tree) if is_float(x)] for tree in trees]
    for a, b in zip(*leaves, strict=True):
        assert_close(a, b)
