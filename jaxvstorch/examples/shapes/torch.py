"""Shapes in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor


def center(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Subtract the mean."""
    return x - x.mean()


def scale_by_length(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Divide by the length, by at least eight: the if on a size becomes a guard."""
    if x.shape[0] > 8:
        return x / x.shape[0]
    return x / 8


def _next_bucket(length: int) -> int:
    return max(16, 1 << (length - 1).bit_length())


def pad_to_bucket(x: Float[Tensor, " n"]) -> Float[Tensor, " bucket"]:
    """Fill up with zeros to 16 numbers, or to the next power of two."""
    length = x.shape[0]
    return F.pad(x, (0, _next_bucket(length) - length))


def center_padded(x: Float[Tensor, " bucket"], length: Int[Tensor, ""]) -> Float[Tensor, " bucket"]:
    """``center`` of the first ``length`` numbers; the rest is padding, and becomes zero."""
    mask = torch.arange(x.shape[0], device=x.device) < length
    mean = torch.where(mask, x, 0.0).sum() / length
    return torch.where(mask, x - mean, 0.0)


def masked_softmax(
    scores: Float[Tensor, "batch length"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch length"]:
    """Softmax over the first numbers of each row, as many as its length says."""
    mask = torch.arange(scores.shape[1], device=scores.device) < lengths[:, None]
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)


def project(
    x: Float[Tensor, "batch inputs"], weights: Float[Tensor, "inputs outputs"]
) -> Float[Tensor, "batch outputs"]:
    """Multiply two matrices whose inner sizes agree."""
    return x @ weights


def sliding_windows(x: Float[Tensor, " n"], width: int) -> Float[Tensor, "windows {width}"]:
    """Each run of ``width`` neighbors, as a row: a view, in which rows share their numbers."""
    return x.unfold(0, width, 1)


def top_scores(scores: Float[Tensor, "batch length"], count: int) -> Float[Tensor, "batch {count}"]:
    """The largest numbers of each row, the largest first."""
    return scores.topk(count, dim=-1).values


def select_mask(x: Float[Tensor, " n"], mask: Bool[Tensor, " n"]) -> Float[Tensor, " kept"]:
    """Keep what the mask selects: how much that is depends on the values."""
    return x[mask]


def mean_selected(x: Float[Tensor, " n"], mask: Bool[Tensor, " n"]) -> Float[Tensor, ""]:
    """The mean of what the mask selects, without extracting it."""
    return torch.where(mask, x, 0.0).sum() / mask.sum()


def positive_places(x: Float[Tensor, " n"], size: int) -> Int[Tensor, " {size}"]:
    """Where ``x`` is positive: the first ``size`` places, filled up with -1."""
    return torch.nonzero_static(x > 0, size=size, fill_value=-1).squeeze(1)


def select_positive(
    x: Float[Tensor, " n"], size: int
) -> tuple[Float[Tensor, " {size}"], Int[Tensor, ""]]:
    """The first ``size`` positive numbers, filled up with zeros, and how many there are."""
    positive = x > 0
    places = torch.nonzero_static(positive, size=size, fill_value=x.shape[0]).squeeze(1)
    # The element past the end is a zero, which fills what is left.
    return F.pad(x, (0, 1))[places], positive.sum()


def unique_padded(
    labels: Int[Tensor, " n"], size: int
) -> tuple[Int[Tensor, " {size}"], Int[Tensor, " {size}"]]:
    """The ``size`` smallest labels, each once, and how often each occurs."""
    ordered = labels.sort().values
    is_new = F.pad(ordered[1:] != ordered[:-1], (1, 0), value=True)
    # What is too much goes to one more place.
    rank = (is_new.cumsum(0) - 1).clamp(max=size)
    values = ordered.new_full((size + 1,), -1).scatter(0, rank, ordered)
    counts = rank.new_zeros(size + 1).scatter_add(0, rank, torch.ones_like(rank))
    return values[:size], counts[:size]


def ragged_sums(
    values: Float[Tensor, " total"], lengths: Int[Tensor, " groups"]
) -> Float[Tensor, " groups"]:
    """Sum up groups of neighbors of several lengths."""
    groups = lengths.shape[0]
    number = torch.arange(groups, device=values.device)
    group = torch.repeat_interleave(number, lengths, output_size=values.shape[0])
    return values.new_zeros(groups).index_add(0, group, values)
