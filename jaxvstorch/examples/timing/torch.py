"""Functions to time, in PyTorch."""

import math

import torch
from jaxtyping import Float
from torch import Tensor


def selu(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The function that JAX's quickstart times; ``F.selu`` has more digits."""
    return 1.05 * torch.where(x > 0, x, 1.67 * torch.expm1(x))


def gelu(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Five operations in a row; ``torch.nn.functional.gelu`` is the library's."""
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def polynomial(x: Float[Tensor, " n"], coefficients: Float[Tensor, " k"]) -> Float[Tensor, " n"]:
    """Horner's rule, with the coefficient of the highest power first; the loop is unrolled."""
    y = coefficients[0].expand_as(x)
    for k in range(1, len(coefficients)):
        y = y * x + coefficients[k]
    return y


def moving_average(x: Float[Tensor, " n"]) -> Float[Tensor, " m"]:
    """The mean of each three neighbors."""
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def sin_and_cos(x: Float[Tensor, " n"]) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """Two results from one argument: one loop could write both."""
    return torch.sin(x), torch.cos(x)


def mean_squared_error(
    predicted: Float[Tensor, " n"], target: Float[Tensor, " n"]
) -> Float[Tensor, ""]:
    """Element-wise operations that feed a reduction."""
    return torch.mean((predicted - target) ** 2)


def log_sum_exp(x: Float[Tensor, "rows n"]) -> Float[Tensor, " rows"]:
    """Two reductions, the second of which needs the first; see ``torch.logsumexp``."""
    largest = torch.amax(x, dim=1, keepdim=True)
    return torch.log(torch.sum(torch.exp(x - largest), dim=1)) + largest[:, 0]


def normalize_rows(x: Float[Tensor, "rows n"]) -> Float[Tensor, "rows n"]:
    """Two reductions of each row, and element-wise operations that need both."""
    centred = x - torch.mean(x, dim=1, keepdim=True)
    variance = torch.mean(centred**2, dim=1, keepdim=True)
    return centred / torch.sqrt(variance + 1e-5)


def dense(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "n m"], bias: Float[Tensor, " m"]
) -> Float[Tensor, "batch m"]:
    """A matrix product, then element-wise operations."""
    return torch.tanh(x @ weights + bias)


def growth(rates: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """A running sum between element-wise operations."""
    return torch.exp(torch.cumsum(torch.log1p(rates), dim=0))


def product_left(
    a: Float[Tensor, "n n"], b: Float[Tensor, "n n"], x: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    """Python multiplies from the left: the matrices first."""
    return a @ b @ x


def product_right(
    a: Float[Tensor, "n n"], b: Float[Tensor, "n n"], x: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    """Two products of a matrix and a vector."""
    return a @ (b @ x)
