"""Programs that need more or less memory, in PyTorch."""

from functools import partial
from math import isqrt

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

CHUNKS = 4
RATE, DECAY = 0.1, 0.9


@torch.no_grad()
def momentum_step(
    parameters: Float[Tensor, " n"], velocity: Float[Tensor, " n"], gradient: Float[Tensor, " n"]
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """One step of gradient descent, in place."""
    velocity.mul_(DECAY).add_(gradient)
    parameters.sub_(velocity, alpha=RATE)
    return parameters, velocity


def _kernel_means_at(x: Tensor, points: Tensor) -> Tensor:
    return torch.exp(-((x[:, None] - points) ** 2)).mean(dim=1)


def kernel_means(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """All pairs of points at once."""
    return _kernel_means_at(x, x)


def kernel_means_chunked(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """A chunk of points with all points, one chunk after another."""
    chunk = partial(checkpoint, _kernel_means_at, use_reentrant=False)
    return torch.cat([chunk(part, x) for part in x.chunk(CHUNKS)])


def attention_full(
    q: Float[Tensor, "n d"], k: Float[Tensor, "n d"], v: Float[Tensor, "n d"]
) -> Float[Tensor, "n d"]:
    """All scores at once."""
    scores = q @ k.T / q.shape[1] ** 0.5
    return torch.softmax(scores, dim=1) @ v


def _attend(
    q: Tensor, keys: Tensor, values: Tensor, largest: Tensor, total: Tensor, out: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    scores = q @ keys.T / q.shape[1] ** 0.5
    new = torch.maximum(largest, scores.amax(dim=1, keepdim=True))
    weights, rescale = torch.exp(scores - new), torch.exp(largest - new)
    total = total * rescale + weights.sum(dim=1, keepdim=True)
    return new, total, out * rescale + weights @ values


def attention_chunked(
    q: Float[Tensor, "n d"], k: Float[Tensor, "n d"], v: Float[Tensor, "n d"]
) -> Float[Tensor, "n d"]:
    """The scores of one chunk of keys after another, with a running softmax."""
    column = torch.zeros_like(q[:, :1])
    carry = column - torch.inf, column, torch.zeros_like(v)
    for keys, values in zip(k.chunk(CHUNKS), v.chunk(CHUNKS), strict=True):
        carry = checkpoint(_attend, q, keys, values, *carry, use_reentrant=False)
    _, total, out = carry
    return out / total


def cross_entropy_full(
    hidden: Float[Tensor, "n d"], table: Float[Tensor, "d words"], labels: Int[Tensor, " n"]
) -> Float[Tensor, ""]:
    """The logits of all tokens at once."""
    return F.cross_entropy(hidden @ table, labels.long())


def _cross_entropy_sum(hidden: Tensor, table: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(hidden @ table, labels.long(), reduction="sum")


def cross_entropy_chunked(
    hidden: Float[Tensor, "n d"], table: Float[Tensor, "d words"], labels: Int[Tensor, " n"]
) -> Float[Tensor, ""]:
    """The logits of one chunk of tokens after another."""
    sums = [
        checkpoint(_cross_entropy_sum, part, table, wanted, use_reentrant=False)
        for part, wanted in zip(hidden.chunk(CHUNKS), labels.chunk(CHUNKS), strict=True)
    ]
    return torch.stack(sums).sum() / len(labels)


def _layer(x: Tensor, weight: Tensor) -> Tensor:
    return x + F.silu(x @ weight)


def layers(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "depth n n"]
) -> Float[Tensor, "batch n"]:
    """Keep everything that the backward pass needs."""
    for weight in weights:
        x = _layer(x, weight)
    return x


def layers_rematerialized(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "depth n n"]
) -> Float[Tensor, "batch n"]:
    """Keep the input of each layer."""
    for weight in weights:
        x = checkpoint(_layer, x, weight, use_reentrant=False)
    return x


_SAVE_PRODUCTS = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])


def layers_saving_products(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "depth n n"]
) -> Float[Tensor, "batch n"]:
    """Keep the input of each layer and its matrix product."""
    for weight in weights:
        x = checkpoint(_layer, x, weight, use_reentrant=False, context_fn=_SAVE_PRODUCTS)
    return x


def layers_in_segments(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "depth n n"]
) -> Float[Tensor, "batch n"]:
    """Keep the input of each segment of layers."""
    for segment in weights.chunk(isqrt(len(weights))):
        x = checkpoint(layers, x, segment, use_reentrant=False)
    return x


def _loss(weights: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return ((torch.tanh(x @ weights) - y) ** 2).mean()


def accumulated_gradient(
    weights: Float[Tensor, "d k"], x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]
) -> Float[Tensor, "d k"]:
    """The gradient of a batch, as the mean over parts of equal size."""
    total = torch.zeros_like(weights)
    parts = x.reshape(CHUNKS, -1, x.shape[1]), y.reshape(CHUNKS, -1, y.shape[1])
    for part in zip(*parts, strict=True):
        total += torch.func.grad(_loss)(weights, *part)
    return total / CHUNKS
