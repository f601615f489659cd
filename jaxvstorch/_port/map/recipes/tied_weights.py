"""Tied weights.

Two modules of PyTorch share one ``Parameter``. In flax use the embedding twice: ``attend`` is the
product with its table. In a pytree, store the array once: stored twice, it is two weights, which
learn apart.
"""

PAGE = "modules-freezing"
NAMES = ("nnx.Embed", "nnx.Embed.attend")


def with_torch():
    import torch

    embedding = torch.nn.Embedding(3, 2)
    head = torch.nn.Linear(2, 3, bias=False)
    head.weight = embedding.weight
    torch.nn.init.constant_(embedding.weight, 0.5)
    scores = head(embedding(torch.tensor([0, 2])))
    (scores**2).sum().backward()
    return scores.detach(), embedding.weight.grad


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    half = nnx.initializers.constant(0.5)
    embedding = nnx.Embed(3, 2, embedding_init=half, rngs=nnx.Rngs(0))

    def loss(embedding):
        scores = embedding.attend(embedding(jnp.array([0, 2])))
        return (scores**2).sum(), scores

    gradients, scores = nnx.grad(loss, has_aux=True)(embedding)
    return scores, gradients.embedding[...]
