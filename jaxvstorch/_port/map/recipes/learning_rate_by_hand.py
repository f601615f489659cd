"""Read and set the learning rate while training.

``optax.inject_hyperparams`` keeps the rate in the optimizer's state, as an array: setting it
compiles nothing again.
"""

PAGE = "optimizers-schedules"
NAMES = (
    "Optimizer.param_groups",
    "torch.optim.lr_scheduler.LRScheduler.get_last_lr",
    "optax.inject_hyperparams",
)


def with_torch():
    import torch

    weight = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for rate in (0.1, 0.01):
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        (weight**2).backward()
        optimizer.step()
    return weight.detach(), optimizer.param_groups[0]["lr"]


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    weight = jnp.array(1.0)
    tx = optax.inject_hyperparams(optax.sgd)(learning_rate=0.1)
    state = tx.init(weight)
    for rate in (0.1, 0.01):
        state.hyperparams["learning_rate"] = jnp.asarray(rate)
        updates, state = tx.update(jax.grad(lambda w: w**2)(weight), state)
        weight = optax.apply_updates(weight, updates)
    return weight, state.hyperparams["learning_rate"]
