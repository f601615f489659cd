"""Change an array in place (x[i] = v, add_).

An array of JAX never changes: ``x.at[i].set(v)`` returns a new one, and compiled code reuses the
memory where it can. ``x.at[i].add`` counts repeated indices, where ``x[i] += v`` of PyTorch adds
once.
"""

PAGE = "updates"
NAMES = (
    "Tensor.__setitem__",
    "Tensor.set_",
    "Tensor.resize_",
    "Tensor.index_put_",
    "torch._foreach_add_",
    "torch._foreach_mul_",
    "jnp.ndarray.at",
)


def with_torch():
    import torch

    x = torch.zeros(4)
    x[1] = 5.0
    x[2:] += 1
    x.index_put_((torch.tensor([0, 0]),), torch.tensor(1.0), accumulate=True)
    weights = [torch.ones(2), torch.ones(3)]
    torch._foreach_add_(weights, 1.0)
    return x, weights


def with_jax():
    import jax
    import jax.numpy as jnp

    x = jnp.zeros(4)
    x = x.at[1].set(5.0)
    x = x.at[2:].add(1)
    x = x.at[jnp.array([0, 0])].add(1.0)
    weights = [jnp.ones(2), jnp.ones(3)]
    weights = jax.tree.map(lambda w: w + 1.0, weights)
    return x, weights
