"""Products with a Jacobian (vjp, jvp, linearize).

``jax.vjp`` returns a function that gives a tuple, even for one argument; the function of
``torch.func.vjp`` gives one tensor then.
"""

PAGE = "autodiff"
NAMES = ("torch.func.vjp", "torch.func.linearize", "jax.vjp", "jax.linearize")


def with_torch():
    import torch

    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5])
    value, pull_back = torch.func.vjp(torch.sin, x)
    _, push_forward = torch.func.linearize(torch.sin, x)
    return value, pull_back(v), push_forward(v)


def with_jax():
    import jax
    import jax.numpy as jnp

    x, v = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.5])
    value, pull_back = jax.vjp(jnp.sin, x)
    _, push_forward = jax.linearize(jnp.sin, x)
    (gradient,) = pull_back(v)
    return value, gradient, push_forward(v)
