"""Gradients (backward, autograd.grad).

``backward`` adds to ``x.grad``. ``jax.grad`` takes the function, not its result, and returns the
gradients; nothing is stored, so nothing is set to zero.
"""

PAGE = "autodiff"
NAMES = (
    "Tensor.backward",
    "Tensor.grad",
    "torch.autograd.grad",
    "torch.autograd.backward",
    "Optimizer.zero_grad",
    "Module.zero_grad",
    "jax.grad",
    "jax.value_and_grad",
)


def with_torch():
    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x**3).sum()
    loss.backward()
    gradient = x.grad
    torch.optim.SGD([x], lr=0.1).zero_grad()  # backward would add to it
    torch.autograd.backward((x**3).sum())
    (again,) = torch.autograd.grad((x**3).sum(), x)
    return loss.detach(), gradient, x.grad, again


def with_jax():
    import jax
    import jax.numpy as jnp

    def loss(x):
        return (x**3).sum()

    x = jnp.array([1.0, 2.0])
    value, gradient = jax.value_and_grad(loss)(x)
    again = jax.grad(loss)(x)
    return value, gradient, again, again
