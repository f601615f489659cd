"""Lower the learning rate on a plateau (ReduceLROnPlateau).

``optax.contrib.reduce_on_plateau`` scales the updates, chained after the optimizer, and takes the
loss as ``value``. It lowers the rate after ``patience`` calls without progress, PyTorch's one call
later.
"""

PAGE = "optimizers-schedules"
NAMES = (
    "torch.optim.lr_scheduler.ReduceLROnPlateau",
    "optax.contrib.reduce_on_plateau",
)


def with_torch():
    import torch

    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(()))], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=2)
    rates = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        scheduler.step(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    return rates


def with_jax():
    import jax.numpy as jnp
    import optax

    tx = optax.chain(
        optax.sgd(1.0),
        optax.contrib.reduce_on_plateau(factor=0.1, patience=3, rtol=1e-4),
    )
    weight = jnp.ones(())
    state = tx.init(weight)
    rates = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        _, state = tx.update(weight, state, value=loss)
        rates.append(state[1].scale)
    return rates
