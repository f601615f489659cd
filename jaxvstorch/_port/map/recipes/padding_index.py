"""An embedding with padding_idx.

``padding_idx`` makes that row zeros at first, and gives it no gradient. In JAX, multiply by the
mask: then the row counts for nothing, whatever is in it, and its gradient is zero.
"""

PAGE = "shapes"
NAMES = ("torch.nn.Embedding", "torch.nn.EmbeddingBag")


def with_torch():
    import torch

    embedding = torch.nn.Embedding(4, 2, padding_idx=0)
    with torch.no_grad():
        embedding.weight[1:] = 0.5
    output = embedding(torch.tensor([1, 3, 0]))
    output.sum().backward()
    return output.detach(), embedding.weight.grad


def with_jax():
    import jax
    import jax.numpy as jnp

    def embed(table, ids, padding=0):
        return table[ids] * (ids != padding)[..., None]

    table, ids = jnp.full((4, 2), 0.5), jnp.array([1, 3, 0])
    return embed(table, ids), jax.grad(lambda table: embed(table, ids).sum())(table)
