"""Low-rank decompositions (pca_lowrank, svd_lowrank, lobpcg).

PyTorch's are randomized. In JAX cut the whole decomposition, which is exact and costs more.
``lobpcg_standard`` takes no ``largest=False``: negate the matrix.
"""

PAGE = "ecosystem"
TOLERANCE = 1e-3
NAMES = ("torch.pca_lowrank", "torch.svd_lowrank", "torch.lobpcg", "jnp.linalg.svd")


def with_torch():
    import torch

    a = torch.sin(torch.arange(48.0)).reshape(12, 4) + torch.arange(12.0)[:, None]
    _, s, _ = torch.svd_lowrank(a, q=2, niter=20)
    _, centred, _ = torch.pca_lowrank(a, q=2, niter=20)
    values, _ = torch.lobpcg(torch.diag(torch.arange(1.0, 13.0)), k=2, niter=100)
    return s, centred, values


def with_jax():
    import jax.numpy as jnp
    from jax.experimental.sparse.linalg import lobpcg_standard

    a = jnp.sin(jnp.arange(48.0)).reshape(12, 4) + jnp.arange(12.0)[:, None]
    _, s, _ = jnp.linalg.svd(a, full_matrices=False)
    _, centred, _ = jnp.linalg.svd(a - a.mean(axis=0), full_matrices=False)
    start = jnp.sin(jnp.arange(24.0)).reshape(12, 2)
    values, _, _ = lobpcg_standard(jnp.diag(jnp.arange(1.0, 13.0)), start)
    return s[:2], centred[:2], values
