"""Per-sample gradients.

``vmap`` of ``grad`` in both; ``functional_call`` turns a module of PyTorch into a function of its
weights first.
"""

PAGE = "vectorization"
NAMES = ("torch.func.functional_call", "torch.func.vmap", "torch.func.grad", "jax.vmap")


def with_torch():
    import torch
    from torch.func import functional_call, grad, vmap

    model = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.constant_(model.weight, 0.5)
    weights = {name: weight.detach() for name, weight in model.named_parameters()}

    def loss(weights, x, y):
        return ((functional_call(model, weights, (x,)) - y) ** 2).sum()

    x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0.0, 1.0])
    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, x, y)["weight"].mT


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx

    model = nnx.Linear(
        2, 1, use_bias=False, kernel_init=nnx.initializers.constant(0.5), rngs=nnx.Rngs(0)
    )
    graph, weights = nnx.split(model)

    def loss(weights, x, y):
        return ((nnx.merge(graph, weights)(x) - y) ** 2).sum()

    x, y = jnp.array([[1.0, 2.0], [3.0, 4.0]]), jnp.array([0.0, 1.0])
    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(weights, x, y).kernel[...]
