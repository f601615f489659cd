"""Automatic differentiation in PyTorch."""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def _rosenbrock(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosenbrock_gradient(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The gradient of Rosenbrock's function, as a separate function."""
    return torch.func.grad(_rosenbrock)(x)


def _loss(
    weights: Float[Tensor, " n"],
    bias: Float[Tensor, ""],
    x: Float[Tensor, "batch n"],
    y: Float[Tensor, " batch"],
) -> tuple[Float[Tensor, ""], Float[Tensor, " batch"]]:
    prediction = x @ weights + bias
    return ((prediction - y) ** 2).mean(), prediction


def regression_gradients(
    weights: Float[Tensor, " n"],
    bias: Float[Tensor, ""],
    x: Float[Tensor, "batch n"],
    y: Float[Tensor, " batch"],
) -> tuple[Float[Tensor, ""], Float[Tensor, " batch"], Float[Tensor, " n"], Float[Tensor, ""]]:
    """Loss, predictions, and the gradients for two of the arguments, from one evaluation."""
    derive = torch.func.grad_and_value(_loss, argnums=(0, 1), has_aux=True)
    (by_weights, by_bias), (loss, prediction) = derive(weights, bias, x, y)
    return loss, prediction, by_weights, by_bias


def tanh_derivative(x: Float[Tensor, " n"], order: int) -> Float[Tensor, " n"]:
    """The derivative of tanh of any order: ``grad`` of ``grad`` of ``grad``."""
    slope = torch.tanh
    for _ in range(order):
        slope = torch.func.grad(slope)
    return torch.vmap(slope)(x)


def _layer(w: Float[Tensor, "m n"], x: Float[Tensor, " n"]) -> Float[Tensor, " m"]:
    return torch.tanh(F.linear(x, w))


def jacobian_forward(w: Float[Tensor, "m n"], x: Float[Tensor, " n"]) -> Float[Tensor, "m n"]:
    """A Jacobian by columns: one forward pass for each of the ``n`` inputs."""
    return torch.func.jacfwd(_layer, argnums=1)(w, x)


def jacobian_reverse(w: Float[Tensor, "m n"], x: Float[Tensor, " n"]) -> Float[Tensor, "m n"]:
    """A Jacobian by rows: one backward pass for each of the ``m`` outputs."""
    return torch.func.jacrev(_layer, argnums=1)(w, x)


def _log_sum_exp(w: Float[Tensor, "n c"], x: Float[Tensor, "batch n"]) -> Float[Tensor, ""]:
    return torch.logsumexp(x @ w, dim=1).sum()


def log_sum_exp_hvp(
    w: Float[Tensor, "n c"], x: Float[Tensor, "batch n"], v: Float[Tensor, "n c"]
) -> Float[Tensor, "n c"]:
    """The Hessian in ``w`` times ``v``: the gradient's derivative along ``v``."""

    def gradient(w: Tensor) -> Tensor:
        return torch.func.grad(_log_sum_exp)(w, x)

    return torch.func.jvp(gradient, (w,), (v,))[1]


def log_sum_exp_hessian_times(
    w: Float[Tensor, "n c"], x: Float[Tensor, "batch n"], v: Float[Tensor, "n c"]
) -> Float[Tensor, "n c"]:
    """The same product, through the whole Hessian."""
    return torch.tensordot(torch.func.hessian(_log_sum_exp)(w, x), v, dims=2)


def rosenbrock_hessian_diagonal(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The Hessian has three diagonals, so three products hold all of the main one."""
    position = torch.arange(len(x), device=x.device)
    probes = position % 3 == torch.arange(3, device=x.device)[:, None]

    def product(v: Tensor) -> Tensor:
        return torch.func.jvp(torch.func.grad(_rosenbrock), (x,), (v,))[1]

    products = torch.vmap(product)(probes.to(x.dtype))
    return torch.where(probes, products, 0).sum(dim=0)


def _example_loss(
    w: Float[Tensor, "n c"], x: Float[Tensor, " n"], y: Float[Tensor, " c"]
) -> Float[Tensor, ""]:
    return ((torch.tanh(x @ w) - y) ** 2).sum()


def per_example_gradients(
    w: Float[Tensor, "n c"], x: Float[Tensor, "batch n"], y: Float[Tensor, "batch c"]
) -> Float[Tensor, "batch n c"]:
    """A gradient for each example of the batch, not their sum."""
    return torch.vmap(torch.func.grad(_example_loss), (None, 0, 0))(w, x, y)


def round_straight_through(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Round, with the derivative of the identity: that of ``round`` is zero."""
    return x + (torch.round(x) - x).detach()


def _newton(
    eccentric: Float[Tensor, " n"], mean: Float[Tensor, " n"], eccentricity: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    error = eccentric - eccentricity * torch.sin(eccentric) - mean
    return eccentric - error / (1 - eccentricity * torch.cos(eccentric))


def kepler(mean: Float[Tensor, " n"], eccentricity: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Solve Kepler's equation; only the last step of Newton's method is differentiated."""
    with torch.no_grad():
        root = mean + 0.85 * eccentricity  # Danby's first guess, for mean anomalies up to pi
        for _ in range(3):  # Inductor's work more than doubles with each step
            root = _newton(root, mean, eccentricity)
    return _newton(root, mean, eccentricity)


class _Log1pExp(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return torch.sigmoid(x) * gradient


def log1pexp(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """``log(1 + exp(x))`` without overflow, with a hand-written derivative."""
    return _Log1pExp.apply(x)


class _ClipGradient(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, limit: float) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, ctx.limit = inputs

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient.clamp(-ctx.limit, ctx.limit), None


def clip_gradient(x: Float[Tensor, " n"], limit: float) -> Float[Tensor, " n"]:
    """The identity; the backward pass clips its gradient."""
    return _ClipGradient.apply(x, limit)


def _block(
    x: Float[Tensor, "batch n"], w_in: Float[Tensor, "n h"], w_out: Float[Tensor, "h n"]
) -> Float[Tensor, "batch n"]:
    return x + torch.tanh(x @ w_in) @ w_out


def residual_mlp(
    x: Float[Tensor, "batch n"],
    w_in: Float[Tensor, "depth n h"],
    w_out: Float[Tensor, "depth h n"],
) -> Float[Tensor, "batch n"]:
    """Residual blocks; each saves what its derivative needs."""
    for weights in zip(w_in, w_out, strict=True):
        x = _block(x, *weights)
    return x


def residual_mlp_checkpointed(
    x: Float[Tensor, "batch n"],
    w_in: Float[Tensor, "depth n h"],
    w_out: Float[Tensor, "depth h n"],
) -> Float[Tensor, "batch n"]:
    """Residual blocks; each saves its input, and recomputes the rest."""
    for weights in zip(w_in, w_out, strict=True):
        x = checkpoint(_block, x, *weights, use_reentrant=False)
    return x
