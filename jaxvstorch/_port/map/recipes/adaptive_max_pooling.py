"""Adaptive max pooling.

Where the output's size divides the input's, it is a maximum over the axes of a reshape. Otherwise
PyTorch's windows overlap: take the maximum of each slice.
"""

PAGE = "ecosystem"
NAMES = (
    "torch.nn.AdaptiveMaxPool1d",
    "torch.nn.AdaptiveMaxPool2d",
    "torch.nn.functional.adaptive_max_pool1d",
    "torch.nn.functional.adaptive_max_pool2d",
)


def with_torch():
    import torch

    x = torch.sin(torch.arange(48.0)).reshape(1, 2, 4, 6)
    uneven = torch.nn.functional.adaptive_max_pool1d(x[0, 0], 4)
    same = torch.nn.AdaptiveMaxPool1d(4)(x[0, 0])
    return torch.nn.AdaptiveMaxPool2d((2, 3))(x), uneven, same


def with_jax():
    import jax.numpy as jnp

    x = jnp.sin(jnp.arange(48.0)).reshape(1, 2, 4, 6)
    n, c, height, width = x.shape
    pooled = x.reshape(n, c, 2, height // 2, 3, width // 3).max(axis=(3, 5))

    row, size = x[0, 0], 4
    windows = [(i * width // size, -(-(i + 1) * width // size)) for i in range(size)]
    uneven = jnp.stack([row[:, start:end].max(axis=1) for start, end in windows], axis=1)
    return pooled, uneven, uneven
