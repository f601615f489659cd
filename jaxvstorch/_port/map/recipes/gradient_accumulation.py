"""Gradient accumulation.

PyTorch adds to ``.grad`` at each ``backward``, so that you divide the loss and step seldom.
``optax.MultiSteps`` takes the mean of some gradients; in between its updates are zeros.
"""

PAGE = "optimizers-steps"
NAMES = ("optax.MultiSteps", "torch.nn.parallel.DistributedDataParallel.no_sync")


def with_torch():
    import torch

    weight = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.Adam([weight], lr=0.1)
    for i, x in enumerate([1.0, 2.0, 3.0, 4.0]):
        loss = (weight * x - 1) ** 2
        (loss / 2).backward()
        if (i + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
    return weight.detach()


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    weight = jnp.array(1.0)
    tx = optax.MultiSteps(optax.adam(0.1), every_k_schedule=2)
    state = tx.init(weight)
    gradient = jax.grad(lambda w, x: (w * x - 1) ** 2)
    for x in [1.0, 2.0, 3.0, 4.0]:
        updates, state = tx.update(gradient(weight, x), state, weight)
        weight = optax.apply_updates(weight, updates)
    return weight
