"""Decompositions and Fourier transforms of a jaxpr, in PyTorch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.from_jax.elementwise import Operation

_TRANSFORMS = (torch.fft.fftn, torch.fft.ifftn, torch.fft.rfftn, torch.fft.irfftn)
# The columns or rows of these results have a free sign, or a free phase if they are complex.
_FREE = {"eig": ((1, -1),), "eigh": ((0, -1),), "qr": ((0, -1), (1, -2)), "svd": ((1, -1), (2, -2))}


# The same of JAX's functions, whose results have another order.
_FREE_OF_FUNCTIONS = _FREE | {"eigh": ((1, -1),), "svd": ((0, -1), (2, -2))}


def aligned(
    name: str, torch_results: list[Any], jax_results: Sequence[Any], of_function: bool = False
) -> list[Any] | None:
    """PyTorch's vectors with the signs of JAX's; None for an operation without such freedom.

    Args:
        name: of an operation of a jaxpr.
        torch_results: its results in PyTorch.
        jax_results: its results in JAX.
        of_function: whether it is the name of a function of JAX instead.
    """
    free = (_FREE_OF_FUNCTIONS if of_function else _FREE).get(name)
    if free is None or not 2 <= len(torch_results) == len(jax_results):
        return None
    results = list(torch_results)
    for index, axis in free:
        vectors, wanted = results[index], torch.from_numpy(np.array(jax_results[index]))
        if vectors.shape == wanted.shape:
            products = (vectors.conj() * wanted).sum(-1 if axis == -2 else -2, keepdim=True)
            results[index] = vectors * torch.sgn(products)
    return results


def defined(name: str, results: list[Any]) -> list[Any]:
    """An operation's results in JAX, without the numbers that it leaves undefined."""
    return [np.tril(results[0])] if name == "cholesky" else results


def _require_all_vectors(params: Any) -> None:
    if params.get("subset_by_index") is not None:
        raise NotImplementedError("some of the vectors")


def _eigh(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    _require_all_vectors(params)
    values, vectors = torch.linalg.eigh(x, UPLO="L" if params["lower"] else "U")
    return [vectors, values]


def _eig(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    if params["compute_left_eigenvectors"]:
        raise NotImplementedError("left eigenvectors")
    values, vectors = torch.linalg.eig(x)
    return [values, vectors] if params["compute_right_eigenvectors"] else [values]


def _svd(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    _require_all_vectors(params)
    if not params["compute_uv"]:
        return [torch.linalg.svdvals(x)]
    u, s, v = torch.linalg.svd(x, full_matrices=params["full_matrices"])
    return [s, u, v]


def _qr(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    if params["pivoting"]:
        raise NotImplementedError("PyTorch has no pivots in qr")
    return list(torch.linalg.qr(x, "complete" if params["full_matrices"] else "reduced"))


def _lu(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    packed, pivots, _ = torch.linalg.lu_factor_ex(x)
    order = torch.lu_unpack(packed, pivots, unpack_data=False).P.real.argmax(-2)
    return [packed, pivots - 1, order.to(torch.int32)]


def _order(params: Any, pivots: torch.Tensor) -> torch.Tensor:
    """The order of rows after the swaps that pivots list."""
    n = params["permutation_size"]
    order = torch.arange(n, dtype=pivots.dtype).expand(*pivots.shape[:-1], n).clone()
    for i in range(pivots.shape[-1]):
        pivot = pivots[..., i : i + 1].long()
        row, pivot_row = order[..., i : i + 1].clone(), torch.gather(order, -1, pivot)
        order[..., i : i + 1] = pivot_row
        order.scatter_(-1, pivot, row)
    return order


def _solved(params: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    transposed = params["transpose_a"]
    a = a.conj() if params["conjugate_a"] else a
    solution: torch.Tensor = torch.linalg.solve_triangular(
        a.mT if transposed else a, b, upper=params["lower"] == transposed,
        left=params["left_side"], unitriangular=params["unit_diagonal"],
    )  # fmt: skip
    return solution


def _transformed(params: Any, x: torch.Tensor) -> torch.Tensor:
    lengths = list(params["fft_lengths"])
    function = _TRANSFORMS[int(params["fft_type"])]
    result: torch.Tensor = function(x, s=lengths, dim=list(range(-len(lengths), 0)))
    return result


WITH_PARAMETERS: dict[str, Operation] = {
    "cholesky": lambda params, x: torch.linalg.cholesky(x),
    "eig": _eig,
    "eigh": _eigh,
    "fft": _transformed,
    "geqrf": lambda params, x: list(torch.geqrf(x)),
    "householder_product": lambda params, x, taus: torch.linalg.householder_product(x, taus),
    "lu": _lu,
    "lu_pivots_to_permutation": _order,
    "ormqr": lambda params, a, tau, x: torch.ormqr(a, tau, x, params["left"], params["transpose"]),
    "qr": _qr,
    "svd": _svd,
    "triangular_solve": _solved,
}
