"""Change a gradient on its way back (backward hook).

A hook of PyTorch's gets the gradient of one tensor. In JAX a function that returns its argument
has a gradient of its own, by ``jax.custom_vjp``.
"""

PAGE = "autodiff-rules"
NAMES = (
    "Tensor.register_hook",
    "Module.register_full_backward_hook",
    "Module.register_backward_hook",
)


def with_torch():
    import torch

    x = torch.tensor([1.0, 20.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda gradient: gradient.clamp(-10, 10))
    (y**2).sum().backward()
    return x.grad


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.custom_vjp
    def clip_gradient(y):
        return y

    def forward(y):
        return y, None

    def backward(_, gradient):
        return (jnp.clip(gradient, -10, 10),)

    clip_gradient.defvjp(forward, backward)
    return jax.grad(lambda x: (clip_gradient(x * 3) ** 2).sum())(jnp.array([1.0, 20.0]))
