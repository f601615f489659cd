"""Random numbers from a generator, and the weights that JAX's initializers draw."""

import math
from collections.abc import Sequence
from typing import Any

import torch

__all__ = [
    "ball", "beta", "categorical", "choice", "dirichlet", "fold_in", "orthogonal",
    "split_generator", "variance_scaling",
]  # fmt: skip


def split_generator(generator: torch.Generator, num: int | Sequence[int] = 2) -> list[Any]:
    """``jax.random.split``: new generators, seeded by the first one."""
    count = num if isinstance(num, int) else math.prod(num)
    seeds = torch.randint(2**63 - 1, (count,), generator=generator).tolist()
    return [torch.Generator(generator.device).manual_seed(seed) for seed in seeds]


def fold_in(generator: torch.Generator, data: int) -> torch.Generator:
    """``jax.random.fold_in``: a generator seeded by another one's seed and a number."""
    seed = hash((generator.initial_seed(), int(data)))
    return torch.Generator(generator.device).manual_seed(seed)


def categorical(
    generator: torch.Generator, logits: torch.Tensor, axis: int, shape: Sequence[int] | None
) -> torch.Tensor:
    """``jax.random.categorical``: the largest of the logits, each with Gumbel noise."""
    logits = logits.movedim(axis, -1)
    rows = logits.shape[:-1] if shape is None else shape
    noise = torch.empty(*rows, logits.shape[-1]).exponential_(generator=generator)
    return (logits - noise.log()).argmax(-1)


def choice(
    generator: torch.Generator,
    a: int | torch.Tensor,
    shape: Sequence[int] = (),
    replace: bool = True,
    p: torch.Tensor | None = None,
) -> torch.Tensor:
    """``jax.random.choice``."""
    items = torch.arange(a) if isinstance(a, int) else a
    weights = torch.ones(len(items)) if p is None else p
    if replace or p is not None:
        drawn = torch.multinomial(weights, math.prod(shape), replace, generator=generator)
    else:
        drawn = torch.randperm(len(items), generator=generator)[: math.prod(shape)]
    return items[drawn].reshape((*shape, *items.shape[1:]))


def beta(generator: torch.Generator, a: Any, b: Any, shape: Sequence[int] | None) -> torch.Tensor:
    """``jax.random.beta``, from two gamma numbers."""
    x, y = (
        torch._standard_gamma(torch.as_tensor(c).expand(shape or ()).float(), generator)
        for c in (a, b)
    )
    return x / (x + y)


def dirichlet(
    generator: torch.Generator, alpha: torch.Tensor, shape: Sequence[int] | None
) -> torch.Tensor:
    """``jax.random.dirichlet``, from gamma numbers."""
    drawn = torch._standard_gamma(alpha.expand(*(shape or ()), *alpha.shape), generator)
    return drawn / drawn.sum(-1, keepdim=True)


def ball(generator: torch.Generator, d: int, shape: Sequence[int] = ()) -> torch.Tensor:
    """``jax.random.ball``: points of the unit ball of d dimensions."""
    direction = torch.randn(*shape, d, generator=generator)
    radius = torch.rand(*shape, 1, generator=generator) ** (1 / d)
    points: torch.Tensor = radius * direction / torch.linalg.norm(direction, dim=-1, keepdim=True)
    return points


def orthogonal(generator: torch.Generator, n: int, shape: Sequence[int] = ()) -> torch.Tensor:
    """``jax.random.orthogonal``; PyTorch's initializer takes a batch for one matrix."""
    matrices = torch.empty(math.prod(shape), n, n)
    for matrix in matrices:
        torch.nn.init.orthogonal_(matrix, generator=generator)
    return matrices.reshape(*shape, n, n)


def variance_scaling(
    scale: float, mode: str, distribution: str, shape: Sequence[int], generator: torch.Generator
) -> torch.Tensor:
    """``jax.nn.initializers.variance_scaling``; the last two axes are inputs and outputs."""
    field = math.prod(shape[:-2])
    fan_in, fan_out = shape[-2] * field, shape[-1] * field
    fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]
    std, weights = math.sqrt(scale / fan), torch.empty(*shape)
    if distribution == "uniform":
        limit = math.sqrt(3) * std
        return torch.nn.init.uniform_(weights, -limit, limit, generator=generator)
    if distribution == "normal":
        return torch.nn.init.normal_(weights, std=std, generator=generator)
    std /= 0.87962566103423978  # the standard deviation of a normal number cut off at -2 and 2
    return torch.nn.init.trunc_normal_(weights, 0, std, -2 * std, 2 * std, generator=generator)
