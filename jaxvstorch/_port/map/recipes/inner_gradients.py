"""Get the gradient of a value inside (retain_grad).

PyTorch keeps the gradient of a tensor that asks for it. In JAX, add zeros to the value, and
differentiate with respect to the zeros.
"""

PAGE = "autodiff"
NAMES = ("Tensor.retain_grad", "Tensor.grad_fn")


def with_torch():
    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    hidden = torch.sin(x)
    hidden.retain_grad()
    (hidden**2).sum().backward()
    return hidden.grad


def with_jax():
    import jax
    import jax.numpy as jnp

    def loss(x, zeros):
        hidden = jnp.sin(x) + zeros
        return (hidden**2).sum()

    x = jnp.array([1.0, 2.0])
    return jax.grad(loss, argnums=1)(x, jnp.zeros_like(x))
