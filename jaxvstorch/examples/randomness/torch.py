"""Random numbers in PyTorch: what a generator gives next."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def dropout_with_mask(
    x: Float[Tensor, " n"], keep: Bool[Tensor, " n"], rate: float
) -> Float[Tensor, " n"]:
    """Keep what the mask says, scaled so that the mean stays; zero elsewhere."""
    return torch.where(keep, x / (1 - rate), 0.0)


def dropout(x: Float[Tensor, " n"], seed: int, rate: float) -> Float[Tensor, " n"]:
    """Drop each element with probability ``rate``."""
    generator = torch.Generator(x.device).manual_seed(seed)
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= rate
    return dropout_with_mask(x, keep, rate)


def estimate_pi(seed: int, points: int) -> Float[Tensor, ""]:
    """Four times the share of random points of the unit square that lie in the unit circle."""
    xy = torch.rand(points, 2, generator=torch.Generator().manual_seed(seed))
    inside = xy.square().sum(dim=1) < 1
    return 4 * inside.float().mean()


def _with_noise(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    return x + torch.randn(x.shape, dtype=x.dtype, device=x.device)


def noisy_batch(x: Float[Tensor, "batch n"], seed: int) -> Float[Tensor, "batch n"]:
    """Add standard normal noise, different for each example. Seeds the global generator."""
    torch.manual_seed(seed)
    return torch.vmap(_with_noise, randomness="different")(x)


def exponential_from_uniform(
    uniform: Float[Tensor, " n"], rate: Float[Tensor, ""]
) -> Float[Tensor, " n"]:
    """Turn uniform numbers into exponential ones, by the inverse of the distribution function."""
    return -torch.log1p(-uniform) / rate


def box_muller(
    u: Float[Tensor, " n"], v: Float[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """Turn two uniform numbers into two standard normal ones (Box and Muller 1958)."""
    radius = torch.sqrt(-2 * torch.log(u))
    angle = 2 * math.pi * v
    return radius * torch.cos(angle), radius * torch.sin(angle)


def gumbel_max(
    logits: Float[Tensor, "batch classes"], uniform: Float[Tensor, "batch classes"]
) -> Int[Tensor, " batch"]:
    """Draw a class of each row with the probabilities ``softmax(logits)``."""
    gumbel = -torch.log(-torch.log(uniform))
    return torch.argmax(logits + gumbel, dim=-1)


def shuffle_by_noise(x: Float[Tensor, " n"], noise: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Put numbers into the order of their noise."""
    return x[torch.argsort(noise)]


def reparameterized_normal(
    mean: Float[Tensor, " n"], log_std: Float[Tensor, " n"], noise: Float[Tensor, " n"]
) -> Float[Tensor, " n"]:
    """Turn standard normal noise into normal numbers, differentiable in mean and deviation."""
    return mean + torch.exp(log_std) * noise


def metropolis_step(
    position: Float[Tensor, " n"],
    noise: Float[Tensor, " n"],
    uniform: Float[Tensor, " n"],
    step_size: float,
) -> Float[Tensor, " n"]:
    """Make one step of n Markov chains whose numbers become standard normal (Metropolis 1953)."""
    proposal = position + step_size * noise
    log_ratio = (position**2 - proposal**2) / 2
    return torch.where(torch.log(uniform) < log_ratio, proposal, position)
