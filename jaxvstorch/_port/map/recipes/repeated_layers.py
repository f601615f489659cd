"""The same block many times (a deep stack).

A Python loop compiles each block. ``nnx.vmap`` stacks the weights of all, and ``nnx.scan`` compiles
one block.
"""

PAGE = "loops"
NAMES = ("torch.nn.TransformerEncoder", "nnx.scan", "nnx.vmap")


def with_torch():
    import torch

    blocks = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(4)])
    for i, block in enumerate(blocks):
        torch.nn.init.constant_(block.weight, 0.1 * i)
        torch.nn.init.constant_(block.bias, 0.5)
    x = torch.ones(2, 3)
    for block in blocks:
        x = torch.tanh(block(x))
    return x.detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    @nnx.vmap
    def make(scale):
        block = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
        block.kernel[...] = jnp.full((3, 3), 0.1 * scale)
        block.bias[...] = jnp.full(3, 0.5)
        return block

    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
    def forward(x, block):
        return jnp.tanh(block(x))

    return forward(jnp.ones((2, 3)), make(jnp.arange(4.0)))
