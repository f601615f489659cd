"""Check a gradient against differences (gradcheck).

``gradcheck`` wants float64 and returns True. ``check_grads`` raises where the gradient is wrong, in
either mode, and takes float32 with wider tolerances.
"""

PAGE = "autodiff-rules"
NAMES = (
    "torch.autograd.gradcheck",
    "torch.autograd.gradgradcheck",
    "jax.test_util.check_grads",
)


def with_torch():
    import torch

    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    right = torch.autograd.gradcheck(torch.sin, (x,))
    wrong = torch.autograd.gradcheck(lambda x: x * x.detach(), (x,), raise_exception=False)
    second = torch.autograd.gradgradcheck(torch.sin, (x,))
    return right, wrong, second


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.test_util import check_grads

    def holds(f, order=1):
        try:
            check_grads(f, (jnp.array([0.5, 2.0]),), order=order, modes=["rev"])
        except AssertionError:
            return False
        return True

    wrong = holds(lambda x: x * jax.lax.stop_gradient(x))
    return holds(jnp.sin), wrong, holds(jnp.sin, order=2)
