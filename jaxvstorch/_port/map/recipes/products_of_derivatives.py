"""Products with a Jacobian or a Hessian (hvp, vhp).

``torch.autograd.functional`` returns the value with each product, and takes the vector as ``v``. In
JAX ``jax.vjp`` and ``jax.jvp`` give both, and those of the gradient give products with the Hessian:
forward over reverse is the cheaper one.
"""

PAGE = "autodiff-cost"
NAMES = (
    "torch.autograd.functional.vjp",
    "torch.autograd.functional.jvp",
    "torch.autograd.functional.hvp",
    "torch.autograd.functional.vhp",
    "jax.vjp",
    "jax.jvp",
)


def with_torch():
    import torch
    from torch.autograd import functional

    def f(x):
        return torch.stack([x[0] ** 2, x[0] * x[1], torch.sin(x[1])])

    def loss(x):
        return f(x).prod()

    x, v, w = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5]), torch.tensor([1.0, 0.0, 2.0])
    value, pulled_back = functional.vjp(f, x, w)
    _, pushed_forward = functional.jvp(f, x, v)
    _, hessian_times_v = functional.hvp(loss, x, v)
    _, v_times_hessian = functional.vhp(loss, x, v)
    return value, pulled_back, pushed_forward, hessian_times_v, v_times_hessian


def with_jax():
    import jax
    import jax.numpy as jnp

    def f(x):
        return jnp.stack([x[0] ** 2, x[0] * x[1], jnp.sin(x[1])])

    def loss(x):
        return f(x).prod()

    x, v, w = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.5]), jnp.array([1.0, 0.0, 2.0])
    value, pull_back = jax.vjp(f, x)
    (pulled_back,) = pull_back(w)
    _, pushed_forward = jax.jvp(f, (x,), (v,))
    _, hessian_times_v = jax.jvp(jax.grad(loss), (x,), (v,))
    (v_times_hessian,) = jax.vjp(jax.grad(loss), x)[1](v)
    return value, pulled_back, pushed_forward, hessian_times_v, v_times_hessian
