"""An if on a tensor.

Under ``jax.jit`` the value is not known: ``jax.lax.cond`` runs one of two functions, ``jnp.where``
computes both and selects. An ``if`` on a shape, or on an argument in ``static_argnames``, stays
an ``if``.
"""

PAGE = "branching"
NAMES = ("torch.cond", "lax.cond", "lax.switch")


def with_torch():
    import torch

    def scale(x):
        if x.sum() > 0:
            return x / x.sum()
        return torch.zeros_like(x)

    return scale(torch.tensor([1.0, 3.0])), scale(torch.tensor([-1.0, 1.0]))


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def scale(x):
        return jax.lax.cond(x.sum() > 0, lambda x: x / x.sum(), jnp.zeros_like, x)

    return scale(jnp.array([1.0, 3.0])), scale(jnp.array([-1.0, 1.0]))
