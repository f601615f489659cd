"""Linear algebra."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.typing import ArrayLike


def solve(A: Array, B: Array, left: bool) -> Array:  # noqa: N803  PyTorch's names
    """The solution X of AX = B, or of XA = B; B may be one vector or a batch of vectors."""
    solution: Array
    if B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1]):
        solution = jnp.linalg.solve(A, B[..., None])[..., 0]
    elif left:
        solution = jnp.linalg.solve(A, B)
    else:
        solution = jnp.linalg.solve(A.mT, B.mT).mT
    return solution


def lstsq(
    A: Array,  # noqa: N803  PyTorch's names
    B: Array,  # noqa: N803
    rcond: float | None,
    driver: str | None,
) -> tuple[Array, ...]:
    """The X that minimizes the squares of AX - B, their sums, A's rank and singular values.

    What PyTorch leaves empty with its driver is empty.
    """
    if vector := B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1]):
        B = B[..., None]  # noqa: N806
    solve = jnp.vectorize(
        lambda a, b: jnp.linalg.lstsq(a, b, rcond)[::2], signature="(m,n),(m,k)->(n,k),()"
    )
    X, rank = solve(A, B)  # noqa: N806
    squares = jnp.sum(jnp.abs(A @ X - B) ** 2, axis=-2)
    values = jnp.linalg.svdvals(A)
    over = A.shape[-2] > A.shape[-1]
    return (
        X[..., 0] if vector else X,
        squares if over and driver in ("gels", "gelss", "gelsd") else squares.ravel()[:0],
        rank if driver != "gels" else rank.ravel()[:0],
        values if driver in ("gelss", "gelsd") else values.ravel()[:0],
    )


def lu_solve(
    LU: Array,  # noqa: N803
    pivots: Array,
    B: Array,  # noqa: N803
    left: bool,
    adjoint: bool,
) -> Array:
    """The solution X of AX = B, or of XA = B, from A's decomposition; pivots count from 1."""
    solution: Array
    if left:
        solution = jax.scipy.linalg.lu_solve((LU, pivots - 1), B, 2 if adjoint else 0)
    else:
        flipped = jax.scipy.linalg.lu_solve((LU, pivots - 1), B.mT.conj(), 0 if adjoint else 2)
        solution = flipped.mT.conj()
    return solution


def lu_unpack(
    LU_data: Array,  # noqa: N803
    LU_pivots: Array,  # noqa: N803
) -> tuple[Array, Array, Array]:
    """The matrices P, L and U of a decomposition whose pivots count from 1."""
    rows, columns = LU_data.shape[-2:]
    small = min(rows, columns)
    order = lax.linalg.lu_pivots_to_permutation(LU_pivots - 1, rows)
    lower = jnp.tril(LU_data[..., :small], -1) + jnp.eye(rows, small, dtype=LU_data.dtype)
    permutation = jax.nn.one_hot(order, rows, axis=-2, dtype=LU_data.dtype)
    return permutation, lower, jnp.triu(LU_data[..., :small, :])


def matrix_rank(
    A: Array,  # noqa: N803
    tol: ArrayLike | None,
    hermitian: bool,
    atol: ArrayLike | None,
    rtol: ArrayLike | None,
) -> Array:
    """How many singular values are above both tolerances; ``rtol`` is relative to the largest."""
    values = jnp.abs(jnp.linalg.eigvalsh(A)) if hermitian else jnp.linalg.svdvals(A)
    if tol is not None:
        atol, rtol = tol, 0.0
    if atol is None:
        atol = 0.0
    if rtol is None:
        rtol = jnp.where(jnp.asarray(atol) > 0, 0, max(A.shape[-2:]) * jnp.finfo(A.dtype).eps)
    bound = jnp.maximum(atol, rtol * values.max(axis=-1, initial=0))
    return jnp.sum(values > bound[..., None], axis=-1)


def renorm(input: Array, p: Any, dim: int, maxnorm: float) -> Array:
    """The slices along an axis, each scaled down to a norm where it exceeds that."""
    others = tuple(i for i in range(input.ndim) if i != dim % input.ndim)
    norm = jnp.linalg.vector_norm(input, axis=others, keepdims=True, ord=p)
    return jnp.where(norm > maxnorm, input * (maxnorm / (norm + 1e-7)), input)
