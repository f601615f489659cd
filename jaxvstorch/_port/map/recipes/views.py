"""Views and strides.

Every result of JAX is a new array: writing into a reshaped one does not change the first.
Overlapping windows, which ``as_strided`` and ``unfold`` make by strides, are an index.
"""

PAGE = "updates"
NAMES = (
    "torch.as_strided",
    "Tensor.as_strided",
    "Tensor.is_contiguous",
    "Tensor.stride",
    "Tensor.storage_offset",
    "Tensor.storage",
    "Tensor.untyped_storage",
    "torch.strided",
    "torch.contiguous_format",
    "torch.preserve_format",
)


def with_torch():
    import torch

    x = torch.arange(6.0)
    x.view(2, 3)[0, 0] = 7.0  # changes x
    windows = torch.as_strided(x, size=(4, 3), stride=(1, 1))
    return x, windows


def with_jax():
    import jax.numpy as jnp

    x = jnp.arange(6.0)
    x = x.reshape(2, 3).at[0, 0].set(7.0).reshape(6)
    windows = x[jnp.arange(4)[:, None] + jnp.arange(3)]
    return x, windows
