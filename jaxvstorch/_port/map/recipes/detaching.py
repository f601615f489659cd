"""Stop the gradient at a value (detach).

``jax.lax.stop_gradient`` returns the same numbers, whose gradient is zero. A result of JAX that
leaves ``jax.grad`` needs nothing to become NumPy: ``np.asarray(x)`` for ``x.detach().numpy()``.
"""

PAGE = "autodiff"
NAMES = ("Tensor.detach", "Tensor.detach_", "Tensor.data", "lax.stop_gradient")


def with_torch():
    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    target = (2 * x).detach()
    ((x - target) ** 2).sum().backward()
    return x.grad, target.numpy(), x.data


def with_jax():
    import jax
    import jax.numpy as jnp
    import numpy as np

    def loss(x):
        target = jax.lax.stop_gradient(2 * x)
        return ((x - target) ** 2).sum(), target

    x = jnp.array([1.0, 2.0])
    gradient, target = jax.grad(loss, has_aux=True)(x)
    return gradient, np.asarray(target), x
