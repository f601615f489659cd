"""Hand an array from one framework to the other (DLPack).

``from_dlpack`` shares the memory where it can. PyTorch may then write into it, which JAX does not
expect: copy, or do not write.
"""

PAGE = "ecosystem"
NAMES = ("torch.from_dlpack", "torch.utils.dlpack.from_dlpack", "torch.utils.dlpack.to_dlpack")


def with_torch():
    import jax.numpy as jnp
    import torch

    from_jax = torch.from_dlpack(jnp.arange(3.0))
    return from_jax, from_jax.element_size()


def with_jax():
    import jax.numpy as jnp
    import torch

    from_torch = jnp.from_dlpack(torch.arange(3.0))
    return from_torch, from_torch.itemsize
