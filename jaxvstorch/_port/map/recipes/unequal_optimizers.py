"""NAdam and Rprop, whose steps differ.

``optax.nadam`` has no schedule of the momentum, as PyTorch's NAdam has; its ``optax.rprop`` starts
alike. Both go the same way, and not by the same numbers.
"""

PAGE = "optimizers"
NAMES = ("torch.optim.NAdam", "torch.optim.Rprop", "optax.nadam", "optax.rprop")


def with_torch():
    import torch

    ends = []
    for make in (torch.optim.NAdam, torch.optim.Rprop):
        weight = torch.nn.Parameter(torch.tensor(1.0))
        optimizer = make([weight], lr=0.01)
        for _ in range(100):
            optimizer.zero_grad()
            (weight**2).backward()
            optimizer.step()
        ends.append(weight.abs().item() < 0.5)
    return ends


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    ends = []
    for tx in (optax.nadam(0.01), optax.rprop(0.01)):
        weight = jnp.array(1.0)
        state = tx.init(weight)
        for _ in range(100):
            updates, state = tx.update(jax.grad(lambda w: w**2)(weight), state, weight)
            weight = optax.apply_updates(weight, updates)
        ends.append(abs(float(weight)) < 0.5)
    return ends
