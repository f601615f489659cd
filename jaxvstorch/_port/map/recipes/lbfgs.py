"""L-BFGS.

PyTorch's ``step`` takes a closure, and by default twenty iterations of fixed length.
``optax.lbfgs`` takes one step a call, with a line search of its own: its update needs ``value``,
``grad`` and ``value_fn``.
"""

PAGE = "optimizers"
TOLERANCE = 1e-3
NAMES = ("torch.optim.LBFGS", "optax.lbfgs")


def with_torch():
    import torch

    x = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.LBFGS([x], max_iter=50, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    optimizer.step(closure)
    return x.detach()


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    def loss(x):
        return (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2

    tx = optax.lbfgs()

    @jax.jit
    def step(x, state):
        value, gradient = jax.value_and_grad(loss)(x)
        updates, state = tx.update(gradient, state, x, value=value, grad=gradient, value_fn=loss)
        return optax.apply_updates(x, updates), state

    x = jnp.zeros(2)
    state = tx.init(x)
    for _ in range(30):
        x, state = step(x, state)
    return x
