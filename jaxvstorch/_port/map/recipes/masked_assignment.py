"""Set the elements of a mask: x[mask] = 0.

A mask fits into ``jnp.where``, which needs no shape that depends on the data. ``x.at[mask].set(0)``
is the same for one number; ``x.at[mask].set(values)`` of as many values as there are True fails
under ``jax.jit``: use a cumulative sum of the mask as the index.
"""

PAGE = "updates"
NAMES = ("Tensor.__setitem__", "Tensor.masked_fill_", "jnp.where")


def with_torch():
    import torch

    x = torch.tensor([1.0, -2.0, 3.0, -4.0])
    x[x < 0] = 0

    y = torch.zeros(4)
    y[torch.tensor([True, False, False, True])] = torch.tensor([5.0, 6.0])
    return x, y


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def clear(x):
        return jnp.where(x < 0, 0, x)

    @jax.jit
    def fill(y, mask, values):
        return jnp.where(mask, values[jnp.cumsum(mask) - 1], y)

    x = clear(jnp.array([1.0, -2.0, 3.0, -4.0]))
    return x, fill(jnp.zeros(4), jnp.array([True, False, False, True]), jnp.array([5.0, 6.0]))
