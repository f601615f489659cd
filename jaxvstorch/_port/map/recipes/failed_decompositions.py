"""Notice that a decomposition failed (cholesky_ex, inv_ex).

JAX never raises there: ``jnp.linalg.cholesky`` holds NaN where a matrix is not positive definite,
``jnp.linalg.inv`` and ``solve`` infinities or NaN where it is singular. Look for them, one flag for
each matrix.
"""

PAGE = "debugging"
NAMES = (
    "torch.linalg.cholesky_ex",
    "torch.linalg.inv_ex",
    "torch.linalg.solve_ex",
    "torch.linalg.lu_factor_ex",
    "jnp.linalg.cholesky",
    "jnp.linalg.inv",
)


def with_torch():
    import torch

    good, bad = torch.eye(2), torch.ones(2, 2)
    both = torch.stack([good, bad - 2 * good])
    _, failed = torch.linalg.cholesky_ex(both)
    _, singular = torch.linalg.inv_ex(torch.stack([good, bad]))
    b = torch.ones(2, 2, 1)
    _, unsolved = torch.linalg.solve_ex(torch.stack([good, bad]), b)
    _, _, zero_pivot = torch.linalg.lu_factor_ex(torch.stack([good, bad]))
    return failed > 0, singular > 0, unsolved > 0, zero_pivot > 0


def with_jax():
    import jax
    import jax.numpy as jnp

    def failed(result):
        return ~jnp.isfinite(result).all(axis=(-2, -1))

    good, bad = jnp.eye(2), jnp.ones((2, 2))
    both = jnp.stack([good, bad - 2 * good])
    singular, b = jnp.stack([good, bad]), jnp.ones((2, 2, 1))
    factors, _ = jax.scipy.linalg.lu_factor(singular)
    zero_pivot = (jnp.diagonal(factors, axis1=-2, axis2=-1) == 0).any(-1)
    results = jnp.linalg.cholesky(both), jnp.linalg.inv(singular), jnp.linalg.solve(singular, b)
    return *map(failed, results), zero_pivot
