"""What the test file of a draft checks with; the file gets the source of what its tests need."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxvstorch._port.draft import loading as draft

VALUES: dict[str, np.ndarray] = {}


def array(name):
    """A stored array, as wide as JAX computes."""
    value = VALUES[name]
    return jnp.asarray(value, float if value.dtype == np.float32 else None)


def stored(prefix):
    """The stored arrays whose names begin with a prefix, by the rest of their names."""
    return {name.removeprefix(prefix): VALUES[name] for name in VALUES if name.startswith(prefix)}


def loaded(module, values):
    """A module as wide as JAX computes, with the values under PyTorch's names."""

    def widened(x):
        return x.astype(float) if x.dtype == jnp.float32 else x

    nnx.update(module, jax.tree.map(widened, nnx.state(module)))
    return draft.from_torch(module, values)


def assert_close(actual, expected, size=None):
    """Compare arrays where PyTorch's are no NaN; ``size`` is their largest number, or known."""
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    assert actual.shape == expected.shape
    size = np.nanmax(np.abs(expected), initial=0) if size is None else size
    # Both computed in float64, but PyTorch's results are stored in float32. Where the program
    # itself casts to float32, its rounding adds up over many operations.
    tolerance = 1e-6 if jax.config.jax_enable_x64 else 1e-3
    actual = np.where(np.isnan(expected), expected, actual)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * size)


def check_outputs(name, *outputs):
    """Compare the arrays and numbers that a part returned with PyTorch's."""
    expected = stored(f"{name}/outputs/").values()
    for a, b in zip(jax.tree.leaves(outputs), expected, strict=True):
        assert_close(a, b)


def check_module(name, module, *args, **kwargs):
    """Compare a module's outputs, and the gradients of its weights, with PyTorch's."""
    weights, gradients = stored(f"{name}/weights/"), stored(f"{name}/gradients/")
    expected = nnx.state(loaded(nnx.clone(module), weights | gradients), nnx.Param)

    def loss_fn(module):
        outputs = module(*args, **kwargs)
        return weighted_sum(outputs), outputs

    grads, outputs = nnx.grad(loss_fn, has_aux=True)(loaded(module, weights))
    check_outputs(name, outputs)
    grads, expected = jax.tree.leaves(grads), jax.tree.leaves(expected)
    # A gradient that should be 0 is only roundings, and the largest of all gives its scale.
    size = max((np.nanmax(np.abs(x), initial=0) for x in expected), default=0)
    for a, b in zip(grads, expected, strict=True):
        assert_close(a, b, size)


def weighted_sum(outputs):
    """One number of all outputs, in which each of their numbers has another weight."""
    leaves = [jnp.ravel(x) for x in jax.tree.leaves(outputs)]
    floats = [x for x in leaves if jnp.issubdtype(x.dtype, jnp.floating)]
    return sum((jnp.linspace(1, 2, x.size) * x).sum() for x in floats)


def check_weights(name, module):
    """Compare a module's weights and running averages with PyTorch's."""
    kinds = nnx.Any(nnx.Param, nnx.BatchStat)
    expected = nnx.state(loaded(nnx.clone(module), stored(f"{name}/")), kinds)
    leaves = [jax.tree.leaves(state) for state in (nnx.state(module, kinds), expected)]
    for a, b in zip(*leaves, strict=True):
        assert_close(a, b)
