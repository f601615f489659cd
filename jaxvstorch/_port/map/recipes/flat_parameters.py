"""All weights as one vector.

``ravel_pytree`` returns the vector and the function that turns such a vector back.
"""

PAGE = "pytrees"
NAMES = (
    "torch.nn.utils.parameters_to_vector",
    "torch.nn.utils.vector_to_parameters",
    "torch._utils._flatten_dense_tensors",
    "torch._utils._unflatten_dense_tensors",
    "jax.flatten_util.ravel_pytree",
)


def with_torch():
    import torch
    from torch.nn.utils import parameters_to_vector, vector_to_parameters

    weights = [torch.nn.Parameter(torch.ones(2, 2)), torch.nn.Parameter(torch.zeros(2))]
    vector = parameters_to_vector(weights)
    vector_to_parameters(vector + 1, weights)
    return vector.detach(), [weight.detach() for weight in weights]


def with_jax():
    import jax.numpy as jnp
    from jax.flatten_util import ravel_pytree

    weights = [jnp.ones((2, 2)), jnp.zeros(2)]
    vector, unravel = ravel_pytree(weights)
    return vector, unravel(vector + 1)
