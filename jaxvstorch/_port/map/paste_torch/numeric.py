"""Interpolation, polynomials, averages, bins and the gamma function."""

import math
from typing import Any

import torch

__all__ = [
    "average",
    "beta_function",
    "digitize",
    "gamma_function",
    "histogram",
    "interp",
    "polyval",
]


def interp(
    x: Any, xp: torch.Tensor, fp: torch.Tensor, left: Any = None, right: Any = None
) -> torch.Tensor:
    """``jnp.interp``: a value on the line through the points (xp, fp)."""
    x = torch.as_tensor(x, dtype=fp.dtype)
    i = torch.searchsorted(xp, x.contiguous(), right=True).clamp(1, len(xp) - 1)
    weight = ((x - xp[i - 1]) / (xp[i] - xp[i - 1])).clamp(0, 1)
    result = fp[i - 1] + weight * (fp[i] - fp[i - 1])
    result = result if left is None else torch.where(x < xp[0], left, result)
    return result if right is None else torch.where(x > xp[-1], right, result)


def polyval(p: torch.Tensor, x: Any) -> torch.Tensor:
    """``jnp.polyval``: the first coefficient is that of the highest power."""
    result = torch.zeros_like(torch.as_tensor(x) * p[0])
    for coefficient in p:
        result = result * x + coefficient
    return result


def average(
    a: torch.Tensor, axis: Any = None, weights: torch.Tensor | None = None, keepdims: bool = False
) -> torch.Tensor:
    """``jnp.average``; weights of another shape are those of the axes that are reduced."""
    a = a if a.is_floating_point() or a.is_complex() else a.float()
    if weights is None:
        return a.mean(dim=axis, keepdim=keepdims)
    if weights.shape != a.shape:
        axes = [d % a.ndim for d in (axis if isinstance(axis, tuple | list) else (axis,))]
        weights = weights.permute(sorted(range(len(axes)), key=axes.__getitem__))
        weights = weights.reshape([n if d in axes else 1 for d, n in enumerate(a.shape)])
    weights = weights.expand(a.shape)
    total = (a * weights).sum(dim=axis, keepdim=keepdims)
    return total / weights.sum(dim=axis, keepdim=keepdims)


def digitize(x: Any, bins: torch.Tensor, right: bool = False) -> torch.Tensor:
    """``jnp.digitize``; bins may decrease."""
    if len(bins) == 0 or bins[-1] >= bins[0]:
        return torch.bucketize(x, bins, right=not right)
    return len(bins) - torch.bucketize(x, bins.flip(0), right=not right)


def histogram(
    a: torch.Tensor,
    bins: int | torch.Tensor = 10,
    range: tuple[float, float] | None = None,
    weights: torch.Tensor | None = None,
    density: bool | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """``jnp.histogram``; PyTorch takes a range beside a number of bins only."""
    if isinstance(bins, int):
        return torch.histogram(a, bins, range=range, weight=weights, density=bool(density))
    return torch.histogram(a, bins, weight=weights, density=bool(density))


def gamma_function(x: Any) -> torch.Tensor:
    """``jax.scipy.special.gamma``: with its sign, which ``torch.lgamma`` leaves out."""
    x = torch.as_tensor(x)
    return _signed(torch.exp(torch.lgamma(x)), x)


def beta_function(a: Any, b: Any) -> torch.Tensor:
    """``jax.scipy.special.beta``, with its sign."""
    a, b = torch.as_tensor(a), torch.as_tensor(b)
    value = torch.exp(torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b))
    for x in (a, b, a + b):
        value = _signed(value, x)
    return value


def _signed(value: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """A value with the sign of the gamma function at x, and NaN at its poles below 0."""
    below = torch.floor(1.0 * x)
    value = torch.where((x < 0) & (below % 2 != 0), -value, value)
    return torch.where((x < 0) & (below == x), math.nan, value)
