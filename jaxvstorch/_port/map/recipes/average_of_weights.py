"""Average the weights over steps (EMA).

``AveragedModel`` keeps a copy of the model. In JAX the average is another pytree of the same
structure. ``optax.ema`` averages the updates, and not the weights.
"""

PAGE = "training-loop"
NAMES = (
    "torch.optim.swa_utils.AveragedModel",
    "torch.optim.swa_utils.get_ema_multi_avg_fn",
    "optax.incremental_update",
)


def with_torch():
    import torch
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(model.weight)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    average.update_parameters(model)  # the first call copies
    for value in (2.0, 3.0):
        torch.nn.init.constant_(model.weight, value)
        average.update_parameters(model)
    return average.module.weight.detach()


def with_jax():
    import jax.numpy as jnp
    import optax

    average = {"weight": jnp.ones((1, 1))}
    for value in (2.0, 3.0):
        weights = {"weight": jnp.full((1, 1), value)}
        average = optax.incremental_update(weights, average, step_size=1 - 0.9)
    return average["weight"]
