"""Call a model with other weights (functional_call).

``nnx.split`` takes a model apart into its structure and its state, ``nnx.merge`` joins them; a
plain function takes its weights anyway.
"""

PAGE = "modules"
NAMES = (
    "torch.func.functional_call",
    "torch.nn.utils.stateless.functional_call",
    "nnx.split",
    "nnx.merge",
)


def with_torch():
    import torch

    model = torch.nn.Linear(2, 1)
    weights = {name: torch.ones_like(weight) for name, weight in model.named_parameters()}
    return torch.func.functional_call(model, weights, (torch.ones(3, 2),))


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx

    graph, weights = nnx.split(nnx.Linear(2, 1, rngs=nnx.Rngs(0)))
    weights = jax.tree.map(jnp.ones_like, weights)
    return nnx.merge(graph, weights)(jnp.ones((3, 2)))
