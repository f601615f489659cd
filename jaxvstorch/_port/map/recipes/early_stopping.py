"""Stop early, and keep the best weights.

PyTorch writes over its weights: copy the best ones. JAX's arrays stay, unless a step donates them;
then copy too. ``float(loss)`` waits for the step, so look at the loss seldom.
"""

PAGE = "training-loop"
NAMES = ("jax.tree.map",)


def with_torch():
    import copy

    import torch

    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    best, kept, patience = float("inf"), None, 2
    for step in range(10):
        with torch.no_grad():
            model.weight += 1
        loss = ((model.weight - 3) ** 2).sum().item()
        if loss < best:
            best, best_step, kept = loss, step, copy.deepcopy(model.state_dict())
        elif step - best_step == patience:
            break
    return kept["weight"], best, step


def with_jax():
    import jax
    import jax.numpy as jnp

    update = jax.jit(lambda w: jax.tree.map(lambda v: v + 1, w), donate_argnums=0)
    weights = {"weight": jnp.zeros((1, 1))}
    best, kept, patience = float("inf"), None, 2
    for step in range(10):
        weights = update(weights)
        loss = float(((weights["weight"] - 3) ** 2).sum())
        if loss < best:
            best, best_step, kept = loss, step, jax.tree.map(jnp.copy, weights)
        elif step - best_step == patience:
            break
    return kept["weight"], best, step
