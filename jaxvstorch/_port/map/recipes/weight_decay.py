"""Weight decay on some weights.

PyTorch takes a group of weights with ``weight_decay=0``. In optax a mask says which weights decay:
a pytree of booleans, or a function of the weights. ``optax.adamw`` decays by 1e-4 unless told, and
PyTorch by 1e-2.
"""

PAGE = "optimizers-schedules"
NAMES = ("torch.optim.AdamW", "optax.adamw", "optax.add_decayed_weights")


def with_torch():
    import torch

    kernel = torch.nn.Parameter(torch.tensor([[1.0, 2.0]]))
    bias = torch.nn.Parameter(torch.tensor([3.0]))
    groups = [
        {"params": [w for w in (kernel, bias) if w.ndim > 1], "weight_decay": 0.1},
        {"params": [w for w in (kernel, bias) if w.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=0.1)
    ((kernel**2).sum() + (bias**2).sum()).backward()
    optimizer.step()
    return kernel.detach(), bias.detach()


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    params = {"kernel": jnp.array([[1.0, 2.0]]), "bias": jnp.array([3.0])}
    decays = jax.tree.map(lambda w: w.ndim > 1, params)
    tx = optax.adamw(0.1, weight_decay=0.1, mask=decays)
    gradients = jax.grad(lambda p: (p["kernel"] ** 2).sum() + (p["bias"] ** 2).sum())(params)
    updates, _ = tx.update(gradients, tx.init(params), params)
    params = optax.apply_updates(params, updates)
    return params["kernel"], params["bias"]
