"""Select by a mask: x[mask].

The shape of the result depends on the data, which ``jax.jit`` refuses. Outside of it ``x[mask]``
works. Inside, ``jnp.nonzero`` takes a ``size`` and fills up; or keep all elements, with a weight of
0 where they do not count.
"""

PAGE = "shapes-values"
NAMES = ("Tensor.__getitem__", "jnp.nonzero", "jnp.compress", "jnp.unique")


def with_torch():
    import torch

    x = torch.tensor([1.0, -2.0, 3.0, -4.0])
    positive = x[x > 0]
    return positive, positive.mean()


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def positive_first(x):
        mask = x > 0
        (places,) = jnp.nonzero(mask, size=len(x), fill_value=len(x))
        padded = x.at[places].get(mode="fill", fill_value=0)
        return padded, mask.sum()

    padded, count = positive_first(jnp.array([1.0, -2.0, 3.0, -4.0]))
    return padded[:count], padded.sum() / count
