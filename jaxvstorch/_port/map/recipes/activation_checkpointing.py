"""Activation checkpointing: compute again instead of keeping.

Both keep a block's inputs, and compute what is inside once more in the backward pass.
``jax.checkpoint`` wraps the function, ``nnx.remat`` a function or a method that takes a module.
"""

PAGE = "memory-backward"
NAMES = (
    "torch.utils.checkpoint.checkpoint",
    "torch.utils.checkpoint.checkpoint_sequential",
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper",
    "jax.checkpoint",
    "nnx.remat",
)


def with_torch():
    import torch
    from torch.utils.checkpoint import checkpoint

    calls = []

    def block(x):
        calls.append(1)
        return torch.sin(torch.sin(x))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    checkpoint(block, x, use_reentrant=False).sum().backward()
    return x.grad, len(calls)


def with_jax():
    import jax
    import jax.numpy as jnp

    calls = []

    def block(x):
        jax.debug.callback(lambda: calls.append(1))  # each time that it is computed
        return jnp.sin(jnp.sin(x))

    gradient = jax.grad(lambda x: jax.checkpoint(block)(x).sum())(jnp.array([1.0, 2.0]))
    jax.effects_barrier()
    return gradient, len(calls)
