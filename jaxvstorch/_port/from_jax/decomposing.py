"""Decompositions and Fourier transforms of a jaxpr, in PyTorch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.from_jax.elementwise import Operation

_TRANSFORMS = (torch.fft.fftn, torch.fft.ifftn, torch.fft.rfftn, torch.fft.irfftn)
# Of these results the columns, or rows, may have another sign, or in complex numbers another phase.
_FREE = {"eig": ((1, -1),), "eigh": ((0, -1),), "qr": ((0, -1), (1, -2)), "svd": ((1, -1), (2, -2))}


def aligned(name: str, ours: list[Any], theirs: Sequence[Any]) -> list[Any] | None:
    """PyTorch's vectors with the signs of JAX's; None of an operation without such freedom."""
    if name not in _FREE or len(ours) < 2 or len(ours) != len(theirs):
        return None
    found = list(ours)
    for place, axis in _FREE[name]:
        one, other = ours[place], torch.from_numpy(np.array(theirs[place]))
        if one.shape == other.shape:
            turn = (one.conj() * other).sum(-1 if axis == -2 else -2, keepdim=True)
            found[place] = one * torch.sgn(turn)
    return found


def defined(name: str, results: list[Any]) -> list[Any]:
    """An operation's results in JAX, without what may be any number."""
    return [np.tril(results[0])] if name == "cholesky" else results


def _whole(params: Any) -> None:
    if params.get("subset_by_index") is not None:
        raise NotImplementedError("some of the vectors")


def _eigh(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    _whole(params)
    values, vectors = torch.linalg.eigh(x, UPLO="L" if params["lower"] else "U")
    return [vectors, values]


def _eig(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    if params["compute_left_eigenvectors"]:
        raise NotImplementedError("left eigenvectors")
    found = torch.linalg.eig(x)
    return list(found) if params["compute_right_eigenvectors"] else [found.eigenvalues]


def _svd(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    _whole(params)
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
    """The order of rows that pivots make, one exchange after the other."""
    n = params["permutation_size"]
    order = torch.arange(n, dtype=pivots.dtype).expand(*pivots.shape[:-1], n).clone()
    for i in range(pivots.shape[-1]):
        there = pivots[..., i : i + 1].long()
        one, other = order[..., i : i + 1].clone(), torch.gather(order, -1, there)
        order[..., i : i + 1] = other
        order.scatter_(-1, there, one)
    return order


def _solved(params: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    turned = params["transpose_a"]
    a = a.conj() if params["conjugate_a"] else a
    found: torch.Tensor = torch.linalg.solve_triangular(
        a.mT if turned else a, b, upper=params["lower"] == turned,
        left=params["left_side"], unitriangular=params["unit_diagonal"],
    )  # fmt: skip
    return found


def _transformed(params: Any, x: torch.Tensor) -> torch.Tensor:
    lengths = list(params["fft_lengths"])
    function = _TRANSFORMS[int(params["fft_type"])]
    found: torch.Tensor = function(x, s=lengths, dim=list(range(-len(lengths), 0)))
    return found


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
