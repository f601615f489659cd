"""Batching with vmap in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


def _dot(a: Float[Tensor, " n"], b: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    return torch.sum(a * b)


def dot_batch(a: Float[Tensor, "batch n"], b: Float[Tensor, "batch n"]) -> Float[Tensor, " batch"]:
    """The dot product of each example of ``a`` with the same example of ``b``."""
    return torch.vmap(_dot)(a, b)


def _affine(
    weight: Float[Tensor, "m n"], bias: Float[Tensor, " m"], x: Float[Tensor, " n"]
) -> Float[Tensor, " m"]:
    return weight @ x + bias


def affine_shared(
    weight: Float[Tensor, "m n"], bias: Float[Tensor, " m"], x: Float[Tensor, "batch n"]
) -> Float[Tensor, "batch m"]:
    """One model, a batch of examples."""
    for_batch = torch.vmap(_affine, in_dims=(None, None, 0))
    return for_batch(weight, bias, x)


def affine_each(
    weights: Float[Tensor, "models m n"], biases: Float[Tensor, "models m"], x: Float[Tensor, " n"]
) -> Float[Tensor, "models m"]:
    """An ensemble of models, one example."""
    for_models = torch.vmap(_affine, in_dims=(0, 0, None))
    return for_models(weights, biases, x)


def _attention(
    query: Float[Tensor, "length d"],
    key: Float[Tensor, "length d"],
    value: Float[Tensor, "length d"],
) -> Float[Tensor, "length d"]:
    scores = query @ key.T / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value


def attention_heads(
    query: Float[Tensor, "length heads d"],
    key: Float[Tensor, "length heads d"],
    value: Float[Tensor, "length heads d"],
) -> Float[Tensor, "length heads d"]:
    """Attention of each head, from attention of one."""
    for_heads = torch.vmap(_attention, in_dims=1, out_dims=1)
    return for_heads(query, key, value)


def _distance(a: Float[Tensor, " d"], b: Float[Tensor, " d"]) -> Float[Tensor, ""]:
    return torch.linalg.vector_norm(a - b)


def pairwise_distances(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"]) -> Float[Tensor, "n m"]:
    """The distance of each point of ``x`` from each point of ``y``."""
    from_one = torch.vmap(_distance, in_dims=(None, 0))
    return torch.vmap(from_one, in_dims=(0, None))(x, y)


def _kernel(x: Float[Tensor, ""], y: Float[Tensor, ""]) -> Float[Tensor, ""]:
    return torch.exp(-((x - y) ** 2) / 2)


def kernel_matrix(x: Float[Tensor, " n"], y: Float[Tensor, " m"]) -> Float[Tensor, "n m"]:
    """The Gaussian kernel of each number of ``x`` with each number of ``y``."""
    row = torch.vmap(_kernel, in_dims=(None, 0))
    return torch.vmap(row, in_dims=(0, None))(x, y)


def interpolate_batch(
    at: Float[Tensor, "batch q"], knots: Float[Tensor, " k"], values: Float[Tensor, "batch k"]
) -> Float[Tensor, "batch q"]:
    """Interpolate each example between its own values; PyTorch has no ``interp``."""

    def interpolate(at: Tensor, values: Tensor) -> Tensor:
        nearest = torch.searchsorted(knots, at)
        right = nearest.clamp(1, len(knots) - 1)
        left = right - 1
        share = (at - knots[left]) / (knots[right] - knots[left])
        share = share.clamp(0, 1)  # the end values go on outside
        return torch.lerp(values[left], values[right], share)

    return torch.vmap(interpolate)(at, values)


def solve_batch(
    matrices: Float[Tensor, "batch n n"], right: Float[Tensor, "batch n"]
) -> Float[Tensor, "batch n"]:
    """Solve each system for its own right-hand side."""
    return torch.vmap(torch.linalg.solve)(matrices, right)


def normalize_batch(x: Float[Tensor, "batch n"]) -> Float[Tensor, "batch n"]:
    """Give each feature mean 0 and variance 1 over the batch, which ``vmap`` would hide."""
    centered = x - x.mean(dim=0)
    variance = (centered**2).mean(dim=0)
    return centered / torch.sqrt(variance + 1e-5)


def cosines(a: Float[Tensor, "p n"], b: Float[Tensor, "q n"]) -> Float[Tensor, "p q"]:
    """The cosine of the angle between each vector of ``a`` and each of ``b``."""
    # F.cosine_similarity(a[:, None], b, dim=-1) would make p * q vectors on the way.
    return F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).mT


def _mean_positive(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    mask = x > 0
    return torch.where(mask, x, 0).sum() / mask.sum()


def mean_positive(x: Float[Tensor, "batch n"]) -> Float[Tensor, " batch"]:
    """The mean of each example's positive numbers, without extracting them."""
    return torch.vmap(_mean_positive)(x)


def _newton(x: Float[Tensor, ""]) -> Float[Tensor, ""]:
    root = torch.clamp(x, min=1.0)
    for _ in range(8):  # enough for numbers up to 100; Inductor's work doubles with each step
        root = (root + x / root) / 2
    return root


def newton_batch(x: Float[Tensor, " batch"]) -> Float[Tensor, " batch"]:
    """Square roots by Newton's method, with the same number of steps for all examples."""
    return torch.vmap(_newton)(x)
