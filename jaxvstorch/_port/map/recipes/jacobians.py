"""Jacobian and Hessian.

The same names in both. ``torch.autograd.functional`` takes the arguments with the function, where
``torch.func`` and JAX return a function. Forward mode is the cheaper one for few inputs, reverse
mode for few outputs.
"""

PAGE = "autodiff-cost"
NAMES = (
    "torch.func.jacrev",
    "torch.func.jacfwd",
    "torch.func.hessian",
    "torch.autograd.functional.jacobian",
    "torch.autograd.functional.hessian",
    "jax.jacrev",
    "jax.jacfwd",
    "jax.hessian",
)


def with_torch():
    import torch
    from torch.func import grad, hessian, jacfwd, jvp

    def f(x):
        return torch.stack([x[0] ** 2, x[0] * x[1], torch.sin(x[1])])

    def loss(x):
        return f(x).prod()

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
    _, hessian_times_v = jvp(grad(loss), (x,), (v,))
    return jacfwd(f)(x), hessian(loss)(x), hessian_times_v


def with_jax():
    import jax
    import jax.numpy as jnp

    def f(x):
        return jnp.stack([x[0] ** 2, x[0] * x[1], jnp.sin(x[1])])

    def loss(x):
        return f(x).prod()

    x, v = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.0])
    _, hessian_times_v = jax.jvp(jax.grad(loss), (x,), (v,))
    return jax.jacfwd(f)(x), jax.hessian(loss)(x), hessian_times_v
