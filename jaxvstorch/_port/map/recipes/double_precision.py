"""Default dtype: 64 bits.

JAX cuts float64 and int64 to 32 bits unless ``jax_enable_x64`` is on: set it at the start of the
program. ``jax.enable_x64`` does so for a block. With it on, 64 bits are the default.
"""

PAGE = "indexing_dtypes-dtypes"
NAMES = (
    "torch.set_default_dtype",
    "torch.get_default_dtype",
    "torch.set_default_tensor_type",
    "jax.enable_x64",
)


def with_torch():
    import torch

    torch.set_default_dtype(torch.float64)
    x = torch.tensor([1.0, 1e-12]).sum()
    torch.set_default_dtype(torch.float32)
    return x - 1, torch.tensor([1.0, 2.0]).element_size()


def with_jax():
    import jax
    import jax.numpy as jnp

    with jax.enable_x64(True):  # jax.config.update("jax_enable_x64", True) for all
        x = jnp.array([1.0, 1e-12]).sum()
        difference = x - 1
    return difference, jnp.array([1.0, 2.0]).itemsize
