"""Gradient clipping.

PyTorch changes the gradients between ``backward`` and ``step``. In optax clipping is a part of the
optimizer, chained before the rest. PyTorch adds 1e-6 to the norm that it divides by.
"""

PAGE = "optimizers-schedules"
NAMES = (
    "torch.nn.utils.clip_grad_norm_",
    "torch.nn.utils.clip_grad_value_",
    "torch.nn.utils.clip_grad_norm",
    "torch.nn.utils.get_total_norm",
    "torch.nn.utils.clip_grads_with_norm_",
    "optax.clip_by_global_norm",
    "optax.clip",
    "optax.tree.norm",
)


def with_torch():
    import torch

    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    (weight**3).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_([weight], max_norm=1.0)
    optimizer.step()

    other = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    (other**3).sum().backward()
    torch.nn.utils.clip_grad_value_([other], clip_value=5.0)
    return norm, weight.detach(), other.grad


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    weight = jnp.array([1.0, 2.0])
    gradient = jax.grad(lambda w: (w**3).sum())(weight)

    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1))
    updates, _ = tx.update(gradient, tx.init(weight), weight)
    clipped, _ = optax.clip(5.0).update(gradient, optax.EmptyState())
    return optax.tree.norm(gradient), optax.apply_updates(weight, updates), clipped
