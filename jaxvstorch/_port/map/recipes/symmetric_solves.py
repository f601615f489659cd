"""Solve a symmetric indefinite system (ldl_factor, ldl_solve).

JAX has no LDL decomposition: LU solves such a system, at twice the operations; Cholesky solves it
where the matrix is positive definite.
"""

PAGE = "ecosystem"
NAMES = ("torch.linalg.ldl_factor", "torch.linalg.ldl_solve", "jax.scipy.linalg.lu_solve")


def with_torch():
    import torch

    a, b = torch.tensor([[1.0, 2.0], [2.0, 1.0]]), torch.tensor([[3.0], [0.0]])
    return torch.linalg.ldl_solve(*torch.linalg.ldl_factor(a), b)


def with_jax():
    import jax
    import jax.numpy as jnp

    a, b = jnp.array([[1.0, 2.0], [2.0, 1.0]]), jnp.array([[3.0], [0.0]])
    return jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(a), b)
