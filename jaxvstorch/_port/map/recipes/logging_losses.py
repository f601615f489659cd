"""Log the loss without waiting for it (.item in a loop).

``.item()`` and ``float`` wait for the device at every step. Keep the arrays, and fetch them
together.
"""

PAGE = "training-loop"
NAMES = ("Tensor.item", "jax.device_get")


def with_torch():
    import torch

    weight, losses = torch.tensor(1.0), []
    for _ in range(5):
        loss = weight**2
        weight = weight - 0.1 * 2 * weight
        losses.append(loss)  # not loss.item()
    return torch.stack(losses).tolist()


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(weight):
        return weight - 0.1 * 2 * weight, weight**2

    weight, losses = jnp.array(1.0), []
    for _ in range(5):
        weight, loss = step(weight)
        losses.append(loss)  # not float(loss)
    return jax.device_get(losses)
