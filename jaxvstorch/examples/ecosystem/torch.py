"""The ecosystem examples in PyTorch, with what is built in."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.distributions import Normal


def cross_entropy(
    logits: Float[Tensor, "examples classes"], labels: Int[Tensor, " examples"]
) -> Float[Tensor, ""]:
    """Mean of minus the log of the right class's probability."""
    return F.cross_entropy(logits, labels.long())


def layer_norm(
    x: Float[Tensor, "rows features"],
    scale: Float[Tensor, " features"],
    shift: Float[Tensor, " features"],
) -> Float[Tensor, "rows features"]:
    """Standardise each row, then scale and shift its features."""
    return F.layer_norm(x, scale.shape, scale, shift)


def normal_log_density(
    x: Float[Tensor, " n"], mean: Float[Tensor, " n"], scale: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    """Log density of a normal distribution, with an object that holds its parameters."""
    return Normal(mean, scale).log_prob(x)


def huber_loss(x: Float[Tensor, " n"], target: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """Mean of half the squared distance where it is below one, and of a straight line beyond."""
    return F.huber_loss(x, target)


def interpolate_linear(
    x: Float[Tensor, " n"], knots: Float[Tensor, " k"], values: Float[Tensor, " k"]
) -> Float[Tensor, " n"]:
    """Interpolate between increasing knots; beyond them the outer values hold."""
    right = torch.searchsorted(knots, x).clamp(1, len(knots) - 1)
    left = right - 1
    weight = (x - knots[left]) / (knots[right] - knots[left])
    return torch.lerp(values[left], values[right], weight.clamp(0, 1))


def convolve_same(signal: Float[Tensor, " n"], kernel: Float[Tensor, " k"]) -> Float[Tensor, " n"]:
    """Convolve; ``conv1d`` does not flip the kernel, and needs batch and channel axes."""
    return F.conv1d(signal[None, None], kernel.flip(0)[None, None], padding="same")[0, 0]


def solve_cg(
    matrix: Float[Tensor, "n n"], target: Float[Tensor, " n"], steps: int
) -> Float[Tensor, " n"]:
    """Take ``steps`` steps of conjugate gradients (Hestenes and Stiefel, 1952)."""
    x, residual, direction = torch.zeros_like(target), target, target
    square = residual @ residual
    for _ in range(steps):
        image = matrix @ direction
        length = square / (direction @ image)
        x = x + length * direction
        residual = residual - length * image
        before, square = square, residual @ residual
        direction = residual + square / before * direction
    return x


def adam_step(
    parameter: Float[Tensor, " n"],
    gradient: Float[Tensor, " n"],
    mean: Float[Tensor, " n"],
    square: Float[Tensor, " n"],
    step: Int[Tensor, ""],
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"], Float[Tensor, " n"]]:
    """One step of Adam with its usual constants; the first step is number 1."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    count = step.to(parameter.dtype)
    unbiased = torch.sqrt(square / (1 - 0.999**count))
    change = mean / (1 - 0.9**count) / (unbiased + 1e-8)
    return parameter - 1e-3 * change, mean, square


def segment_sum(
    values: Float[Tensor, "n d"], segments: Int[Tensor, " n"], number: int
) -> Float[Tensor, "number d"]:
    """Sum the rows of each segment."""
    return values.new_zeros(number, values.shape[1]).index_add(0, segments, values)


def trapezoid(y: Float[Tensor, " n"], x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """Area under straight lines from point to point."""
    return torch.trapezoid(y, x)
