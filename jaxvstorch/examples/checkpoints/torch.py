"""Functions of a checkpoint's arrays, in PyTorch."""

from functools import reduce
from operator import or_

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

Named = dict[str, Float[Tensor, "..."]]

WARMUP, LAST, PEAK = 10, 100, 0.01
DECAY = 1e-2  # of the weights, as by default in PyTorch


def mean_of_checkpoints(checkpoints: list[Named]) -> Named:
    """Average the weights of several checkpoints of one run."""
    names = reduce(or_, checkpoints)  # of all of them, so that one that lacks a name raises
    return {name: torch.stack([c[name] for c in checkpoints]).mean(dim=0) for name in names}


def largest_difference(params: Named, others: Named) -> Float[Tensor, ""]:
    """Find how far two checkpoints are apart; 0 if they are equal and finite."""
    names = params | others  # of both, so that one that lacks a name raises
    return reduce(torch.maximum, [(params[name] - others[name]).abs().max() for name in names])


def all_finite(params: Named) -> Bool[Tensor, ""]:
    """Check whether a checkpoint may replace the one before it."""
    finite = [torch.isfinite(x).all() for x in params.values()]
    return reduce(torch.logical_and, finite)


def grow_rows(table: Float[Tensor, "n d"], rows: int) -> Float[Tensor, "rows d"]:
    """Add rows to an embedding that was saved; each new row is the mean of the old ones."""
    new = table.mean(dim=0).expand(rows - table.shape[0], table.shape[1])
    return torch.cat([table, new])


def adamw_step(
    parameter: Float[Tensor, "..."],
    gradient: Float[Tensor, "..."],
    mean: Float[Tensor, "..."],
    square: Float[Tensor, "..."],
    count: Int[Tensor, ""],
    rate: Float[Tensor, ""],
) -> tuple[Float[Tensor, "..."], Float[Tensor, "..."], Float[Tensor, "..."], Int[Tensor, ""]]:
    """Take one step of AdamW from a state; ``count`` is the number of steps taken before."""
    count = count + 1
    mean = torch.lerp(mean, gradient, 0.1)
    square = 0.999 * square + 0.001 * gradient**2
    steps = count.to(parameter.dtype)
    unbiased = torch.sqrt(square / (1 - 0.999**steps))
    change = mean / (1 - 0.9**steps) / (unbiased + 1e-8)
    return parameter * (1 - rate * DECAY) - rate * change, mean, square, count


def rate_at(step: Float[Tensor, ""]) -> Float[Tensor, ""]:
    """Compute the learning rate of a step, from the step's number alone."""
    gone = ((step - WARMUP) / (LAST - WARMUP)).clamp(0, 1)
    return PEAK * (step / WARMUP).clamp(max=1) * (1 + torch.cos(torch.pi * gone)) / 2


def _loss(weights: Tensor, x: Tensor, y: Tensor, kept: Tensor) -> Tensor:
    return F.mse_loss(torch.where(kept, x, 0) * 2 @ weights, y)


def dropout_gradient(
    weights: Float[Tensor, " d"],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    kept: Bool[Tensor, "n d"],
) -> Float[Tensor, " d"]:
    """Differentiate the loss with half of the inputs dropped, for a mask that was drawn before."""
    return torch.func.grad(_loss)(weights, x, y, kept)
