"""Parallelism in PyTorch."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def mlp(
    w1: Float[Tensor, "features hidden"],
    w2: Float[Tensor, "hidden outputs"],
    x: Float[Tensor, "batch features"],
) -> Float[Tensor, "batch outputs"]:
    """Two matrices with a hyperbolic tangent between them."""
    return torch.tanh(x @ w1) @ w2


def mlp_loss(
    w1: Float[Tensor, "features hidden"],
    w2: Float[Tensor, "hidden outputs"],
    x: Float[Tensor, "batch features"],
    y: Float[Tensor, "batch outputs"],
) -> Float[Tensor, ""]:
    """The mean squared difference from ``y``."""
    return torch.mean((mlp(w1, w2, x) - y) ** 2)


def train_step(
    w1: Float[Tensor, "features hidden"],
    w2: Float[Tensor, "hidden outputs"],
    x: Float[Tensor, "batch features"],
    y: Float[Tensor, "batch outputs"],
) -> tuple[Float[Tensor, ""], Float[Tensor, "features hidden"], Float[Tensor, "hidden outputs"]]:
    """The loss, and both matrices after one step of gradient descent with rate 0.1."""
    derive = torch.func.grad_and_value(mlp_loss, argnums=(0, 1))
    (slope1, slope2), loss = derive(w1, w2, x, y)
    return loss, w1 - 0.1 * slope1, w2 - 0.1 * slope2


def train_step_in_shards(
    w1: Float[Tensor, "features hidden"],
    w2: Float[Tensor, "hidden outputs"],
    x: Float[Tensor, "shards batch features"],
    y: Float[Tensor, "shards batch outputs"],
) -> tuple[Float[Tensor, ""], Float[Tensor, "features hidden"], Float[Tensor, "hidden outputs"]]:
    """Data parallel: each shard of the batch has its own gradients; the step uses their means."""
    derive = torch.func.grad_and_value(mlp_loss, argnums=(0, 1))
    slopes, losses = torch.vmap(derive, in_dims=(None, None, 0, 0))(w1, w2, x, y)
    slope1, slope2 = (slope.mean(dim=0) for slope in slopes)
    return losses.mean(), w1 - 0.1 * slope1, w2 - 0.1 * slope2


def mlp_column_row(
    w1: Float[Tensor, "shards features hidden"],
    w2: Float[Tensor, "shards hidden outputs"],
    x: Float[Tensor, "batch features"],
) -> Float[Tensor, "batch outputs"]:
    """Tensor parallel: some columns of ``w1``, the same rows of ``w2``; the parts are summed."""
    parts = torch.vmap(mlp, in_dims=(0, 0, None))(w1, w2, x)
    return parts.sum(dim=0)


def matmul_by_blocks(
    a: Float[Tensor, "rows inner m k"], b: Float[Tensor, "inner columns k n"]
) -> Float[Tensor, "rows columns m n"]:
    """Multiply matrices cut into blocks: each is a sum over a row of ``a``, a column of ``b``."""
    return torch.einsum("pqmk,qrkn->prmn", a, b)


def softmax_in_shards(x: Float[Tensor, "shards n"]) -> Float[Tensor, "shards n"]:
    """Softmax over all shards; each contributes one maximum and one sum."""
    maxima = x.amax(dim=1)
    exponentials = torch.exp(x - maxima.max())
    sums = exponentials.sum(dim=1)
    return exponentials / sums.sum()


def mean_in_shards(
    x: Float[Tensor, "shards n"], counts: Int[Tensor, " shards"]
) -> Float[Tensor, ""]:
    """The mean of the first ``counts`` numbers of the shards: one sum over another."""
    held = torch.arange(x.shape[1], device=x.device) < counts[:, None]
    sums = torch.where(held, x, 0).sum(dim=1)
    return sums.sum() / counts.sum().to(x.dtype)


def mean_of_means(
    x: Float[Tensor, "shards n"], counts: Int[Tensor, " shards"]
) -> Float[Tensor, ""]:
    """The mean of the shards' means: a different number if the counts differ."""
    held = torch.arange(x.shape[1], device=x.device) < counts[:, None]
    sums = torch.where(held, x, 0).sum(dim=1)
    return torch.mean(sums / counts.to(x.dtype))


def _attention(
    query: Float[Tensor, "m d"], keys: Float[Tensor, "n d"], values: Float[Tensor, "n d"]
) -> tuple[Float[Tensor, "m d"], Float[Tensor, " m"]]:
    scores = query @ keys.T / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values, torch.logsumexp(scores, dim=-1)


def attention_in_shards(
    query: Float[Tensor, "m d"],
    keys: Float[Tensor, "shards n d"],
    values: Float[Tensor, "shards n d"],
) -> Float[Tensor, "m d"]:
    """Attention to keys in shards: each shard's result is weighted by its share of exponentials."""
    answers, logarithms = torch.vmap(_attention, in_dims=(None, 0, 0))(query, keys, values)
    weights = torch.softmax(logarithms, dim=0)
    return torch.sum(weights[:, :, None] * answers, dim=0)


def embedding_in_shards(
    table: Float[Tensor, "shards rows d"], tokens: Int[Tensor, " n"]
) -> Float[Tensor, "n d"]:
    """Look tokens up in a table sharded by rows: a shard returns zeros for rows of others."""
    shards, rows, _ = table.shape

    def look_up(shard: Int[Tensor, ""], held: Float[Tensor, "rows d"]) -> Float[Tensor, "n d"]:
        row = tokens - shard * rows
        mine = (row >= 0) & (row < rows)
        return torch.where(mine[:, None], held[torch.where(mine, row, 0)], 0)

    return torch.vmap(look_up)(torch.arange(shards, device=table.device), table).sum(dim=0)
