"""NAdam and Rprop, whose steps differ.

``optax.nadam`` has no schedule of the momentum, as PyTorch's NAdam has: its steps are longer at
first. The first step of ``optax.rprop`` is zero, and its next ones are PyTorch's, until a gradient
changes its sign.
"""

PAGE = "optimizers"
NAMES = ("torch.optim.NAdam", "torch.optim.Rprop", "optax.nadam", "optax.rprop")


def with_torch():
    import torch

    weight = torch.nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.Rprop([weight], lr=0.01)
    weights = []
    for _ in range(10):
        optimizer.zero_grad()
        (weight**2).backward()
        optimizer.step()
        weights.append(weight.item())
    return weights


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    weight = jnp.array(1.0)
    tx = optax.rprop(0.01)
    state = tx.init(weight)
    weights = []
    for _ in range(1 + 10):
        updates, state = tx.update(jax.grad(lambda w: w**2)(weight), state, weight)
        weight = optax.apply_updates(weight, updates)
        weights.append(weight)
    return weights[1:]  # after the first step, which is zero
