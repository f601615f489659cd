"""Parameter groups: another learning rate for some weights.

A group of PyTorch is a list of weights with its settings. ``optax.partition`` takes an optimizer
for each label, and a pytree, or a function, that gives every weight its label.
"""

PAGE = "optimizers-schedules"
NAMES = (
    "Optimizer.param_groups",
    "Optimizer.add_param_group",
    "optax.partition",
    "optax.multi_transform",
    "jax.tree.map_with_path",
)


def with_torch():
    import torch

    body = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    head = torch.nn.Parameter(torch.tensor([3.0]))
    optimizer = torch.optim.SGD([{"params": [body], "lr": 0.01}], lr=0.1)
    optimizer.add_param_group({"params": [head]})  # or in the list above
    ((body**2).sum() + (head**2).sum()).backward()
    optimizer.step()
    return body.detach(), head.detach(), [group["lr"] for group in optimizer.param_groups]


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    params = {"body": jnp.array([1.0, 2.0]), "head": jnp.array([3.0])}
    labels = jax.tree.map_with_path(lambda path, _: path[0].key, params)
    rates = {"body": 0.01, "head": 0.1}
    tx = optax.partition({label: optax.sgd(rate) for label, rate in rates.items()}, labels)
    gradients = jax.grad(lambda p: (p["body"] ** 2).sum() + (p["head"] ** 2).sum())(params)
    updates, _ = tx.update(gradients, tx.init(params), params)
    params = optax.apply_updates(params, updates)
    return params["body"], params["head"], rates
