"""Updates in PyTorch: in place, on a copy, so that the caller's tensor stays as it is."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def set_rows(
    x: Float[Tensor, "n columns"], index: Int[Tensor, " k"], rows: Float[Tensor, "k columns"]
) -> Float[Tensor, "n columns"]:
    """Replace some rows."""
    y = x.clone()
    y[index] = rows
    return y


def add_at(
    x: Float[Tensor, " n"], index: Int[Tensor, " k"], updates: Float[Tensor, " k"]
) -> Float[Tensor, " n"]:
    """Add each update at its index; an index that occurs twice gets both."""
    return x.index_add(0, index, updates)


def count_once(counts: Float[Tensor, " n"], index: Int[Tensor, " k"]) -> Float[Tensor, " n"]:
    """Read, add and write back: an index that occurs twice is counted once."""
    counts = counts.clone()
    counts[index] += 1
    return counts


def max_at(
    best: Float[Tensor, " n"], index: Int[Tensor, " k"], values: Float[Tensor, " k"]
) -> Float[Tensor, " n"]:
    """Keep at each index the largest value written to it."""
    return best.scatter_reduce(0, index.long(), values, "amax")


def cumulative_histogram(
    totals: Float[Tensor, " bins"], bins: Int[Tensor, " n"], weights: Float[Tensor, " n"]
) -> Float[Tensor, " bins"]:
    """Add the weights of samples to their bins, then sum up to each bin."""
    return totals.index_add(0, bins, weights).cumsum(0)


def clip_where(x: Float[Tensor, " n"], limit: Float[Tensor, ""]) -> Float[Tensor, " n"]:
    """Write the limit wherever it is exceeded."""
    return torch.where(x > limit, limit, x)


def take_or_zero(x: Float[Tensor, " n"], index: Int[Tensor, " k"]) -> Float[Tensor, " k"]:
    """Read; an index out of bounds reads as zero."""
    inside = (index >= -len(x)) & (index < len(x))
    return torch.where(inside, x[torch.where(inside, index, 0)], 0)


def put_or_drop(
    x: Float[Tensor, " n"], index: Int[Tensor, " k"], values: Float[Tensor, " k"]
) -> Float[Tensor, " n"]:
    """Write; drop what goes to an index out of bounds."""
    inside = (index >= -len(x)) & (index < len(x))
    y = torch.cat([x, x.new_zeros(1)])  # the last element takes what is dropped
    y[torch.where(inside, index % len(x), len(x))] = values
    return y[:-1]


def swap_rows(x: Float[Tensor, "n columns"], pair: Int[Tensor, "2"]) -> Float[Tensor, "n columns"]:
    """Exchange two rows."""
    y = x.clone()
    y[pair] = x[pair.flip(0)]
    return y


def ring_write(
    buffer: Float[Tensor, "n columns"], written: Int[Tensor, ""], row: Float[Tensor, " columns"]
) -> Float[Tensor, "n columns"]:
    """Overwrite the oldest row of a buffer that has been written ``written`` times."""
    oldest = written % len(buffer)
    return buffer.index_put((oldest[None],), row)


def fill_rows(x: Float[Tensor, "steps n"]) -> Float[Tensor, "steps n"]:
    """Add to each row half of the one before it, in a loop that updates one tensor."""
    y = x.clone()
    for i in range(1, len(y)):
        y[i] += 0.5 * y[i - 1]
    return y


def drain(
    slots: Float[Tensor, " n"], order: Int[Tensor, " k"]
) -> tuple[Float[Tensor, " k"], Float[Tensor, " n"]]:
    """Visit slots in order, empty each, and return what was in it, and all slots afterwards."""
    slots = slots.clone()
    found = []
    for position in torch.split(order, 1):
        found.append(slots[position])
        slots[position] = 0
    return torch.cat(found), slots
