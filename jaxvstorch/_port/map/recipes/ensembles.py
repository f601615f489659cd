"""An ensemble: vmap over models.

Stack the weights, and map over their first axis. ``nnx.vmap`` of a constructor makes the stacked
models; by ``nnx.split`` and ``jax.vmap`` models that exist already are stacked.
"""

PAGE = "vectorization"
NAMES = ("torch.func.stack_module_state", "nnx.vmap", "nnx.split", "nnx.merge")


def with_torch():
    import torch
    from torch.func import functional_call, stack_module_state, vmap

    models = [torch.nn.Linear(2, 1, bias=False) for _ in range(3)]
    for i, model in enumerate(models):
        torch.nn.init.constant_(model.weight, float(i))
    weights, buffers = stack_module_state(models)

    def call(weights, buffers, x):
        return functional_call(models[0], (weights, buffers), (x,))

    return vmap(call, in_dims=(0, 0, None))(weights, buffers, torch.ones(4, 2)).detach()


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx

    models = [
        nnx.Linear(2, 1, use_bias=False, kernel_init=nnx.initializers.constant(i), rngs=nnx.Rngs(0))
        for i in range(3)
    ]
    graph, _ = nnx.split(models[0])
    weights = jax.tree.map(lambda *ws: jnp.stack(ws), *(nnx.state(model) for model in models))

    def call(weights, x):
        return nnx.merge(graph, weights)(x)

    return jax.vmap(call, in_axes=(0, None))(weights, jnp.ones((4, 2)))
