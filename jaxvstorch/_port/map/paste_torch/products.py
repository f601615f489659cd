"""Products over any axes, and triangular systems."""

from collections.abc import Sequence

import torch

__all__ = ["dot_general", "solve_triangular"]

Axes = tuple[Sequence[int], Sequence[int]]


def dot_general(
    lhs: torch.Tensor, rhs: torch.Tensor, dimension_numbers: tuple[Axes, Axes]
) -> torch.Tensor:
    """``lax.dot_general``: the axes to sum over, and those that both keep, of each operand."""
    (summed, other_summed), (kept, other_kept) = dimension_numbers
    left = [chr(97 + axis) for axis in range(lhs.ndim)]
    right = [chr(65 + axis) for axis in range(rhs.ndim)]
    for a, b in [*zip(summed, other_summed, strict=True), *zip(kept, other_kept, strict=True)]:
        right[b] = left[a]
    batch = [left[axis] for axis in kept]
    used = {*batch, *(left[axis] for axis in summed)}
    rest = [letter for letter in (*left, *right) if letter not in used]
    equation = f"{''.join(left)},{''.join(right)}->{''.join((*batch, *rest))}"
    return torch.einsum(equation, lhs, rhs)


def solve_triangular(
    a: torch.Tensor,
    b: torch.Tensor,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> torch.Tensor:
    """``jax.scipy.linalg.solve_triangular``, which takes vectors and transposes too."""
    transposed = trans not in (0, "N")
    if transposed:
        a = a.mH if trans in (2, "C") else a.mT
    vector = b.ndim in (1, a.ndim - 1)
    columns = b[..., None] if vector else b
    x: torch.Tensor = torch.linalg.solve_triangular(
        a, columns, upper=lower == transposed, unitriangular=unit_diagonal
    )
    return x[..., 0] if vector else x
