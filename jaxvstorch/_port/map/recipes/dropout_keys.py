"""Dropout, and its random numbers.

PyTorch draws from a global generator. ``nnx.Dropout`` draws from the stream ``dropout`` of its
``nnx.Rngs``, whose count grows with each call. A compiled step must return that count: ``nnx.jit``
does, and ``jax.jit`` drops the same numbers at each call.
"""

PAGE = "randomness"
NAMES = ("nnx.Dropout", "nnx.Rngs")


def with_torch():
    import torch

    dropout = torch.nn.Dropout(0.5)
    x = torch.ones(1000)
    torch.manual_seed(0)
    first, second = dropout(x), dropout(x)
    torch.manual_seed(0)
    again = dropout(x)
    return first.equal(second), first.equal(again), first.max()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=0))
    step = nnx.jit(lambda dropout, x: dropout(x))
    x = jnp.ones(1000)
    first, second = step(dropout, x), step(dropout, x)
    again = nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=0))(x)
    return jnp.array_equal(first, second), jnp.array_equal(first, again), first.max()
