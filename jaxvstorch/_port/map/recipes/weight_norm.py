"""Weight norm: a weight as its direction and its length.

A parametrization of PyTorch's changes the module, and ``nnx.WeightNorm`` wraps it. PyTorch starts
from the norm that the weight has; flax starts from a scale of 1.
"""

PAGE = "modules"
NAMES = (
    "torch.nn.utils.weight_norm",
    "torch.nn.utils.remove_weight_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "nnx.WeightNorm",
)


def with_torch():
    import torch
    from torch.nn.utils.parametrizations import weight_norm

    layer = torch.nn.Linear(2, 3)
    torch.nn.init.constant_(layer.weight, 3.0)
    torch.nn.init.zeros_(layer.bias)
    layer = weight_norm(layer)
    with torch.no_grad():
        layer.parametrizations.weight.original0.fill_(1.0)  # the norm of each row
    return layer(torch.ones(1, 2)).detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    rngs = nnx.Rngs(0)
    layer = nnx.Linear(2, 3, kernel_init=nnx.initializers.constant(3.0), rngs=rngs)
    return nnx.WeightNorm(layer, rngs=rngs)(jnp.ones((1, 2)))
