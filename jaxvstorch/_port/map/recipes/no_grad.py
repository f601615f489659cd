"""Compute without gradients (no_grad, inference_mode).

JAX records nothing outside ``jax.grad``, so a call needs no context. Inside a function that is
differentiated, ``jax.lax.stop_gradient`` takes the place of ``torch.no_grad``.
"""

PAGE = "autodiff"
NAMES = (
    "torch.no_grad",
    "torch.enable_grad",
    "torch.set_grad_enabled",
    "torch.inference_mode",
    "torch.is_grad_enabled",
    "lax.stop_gradient",
)


def with_torch():
    import torch

    def loss(x):
        with torch.no_grad():
            weight = torch.softmax(x, dim=0)
        return (weight * x**2).sum()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.inference_mode():
        value = loss(x)
    with torch.set_grad_enabled(False), torch.enable_grad():  # the inner one holds
        loss(x).backward()
    return value, x.grad


def with_jax():
    import jax
    import jax.numpy as jnp

    def loss(x):
        weight = jax.lax.stop_gradient(jax.nn.softmax(x, axis=0))
        return (weight * x**2).sum()

    x = jnp.array([1.0, 2.0])
    return loss(x), jax.grad(loss)(x)
