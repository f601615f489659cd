"""Freeze some weights.

PyTorch marks the weights. In JAX, the gradient is taken and the optimizer steps with respect to a
filter of the weights. ``optax.masked`` does not freeze: it hands on the gradients that it masks
out, and those are added to the weights. In optax alone, ``optax.partition`` with
``optax.set_to_zero`` freezes.
"""

PAGE = "modules-freezing"
NAMES = (
    "Module.requires_grad_",
    "Tensor.requires_grad_",
    "Tensor.requires_grad",
    "Tensor.is_leaf",
    "nnx.PathContains",
    "nnx.DiffState",
    "optax.masked",
    "optax.partition",
    "optax.multi_transform",
    "optax.set_to_zero",
)


def with_torch():
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    for weight in model.parameters():
        torch.nn.init.constant_(weight, 0.5)
    model[0].requires_grad_(False)
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.SGD(learning, lr=0.1)

    model(torch.ones(3, 2)).sum().backward()
    optimizer.step()
    return [model[0].weight.detach().T, model[1].weight.detach().T]


def with_jax():
    import jax.numpy as jnp
    import optax
    from flax import nnx

    half = nnx.initializers.constant(0.5)
    layers = [nnx.Linear(2, n, kernel_init=half, bias_init=half, rngs=nnx.Rngs(0)) for n in (2, 1)]
    model = nnx.Sequential(*layers)
    learning = nnx.All(nnx.Param, nnx.Not(nnx.PathContains(0)))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=learning)

    gradient = nnx.grad(lambda model, x: model(x).sum(), argnums=nnx.DiffState(0, learning))
    optimizer.update(model, gradient(model, jnp.ones((3, 2))))
    return [layer.kernel[...] for layer in model.layers]
