"""Reductions of the rows that share a number."""

import torch

__all__ = ["segment_reduce", "segment_sum"]


def segment_sum(
    data: torch.Tensor, segment_ids: torch.Tensor, num_segments: int | None = None
) -> torch.Tensor:
    """``jax.ops.segment_sum``: the sum of the rows of each number."""
    size = int(segment_ids.max()) + 1 if num_segments is None else num_segments
    inside = (segment_ids >= 0) & (segment_ids < size)  # JAX leaves the other rows out
    start = data.new_zeros((size, *data.shape[1:]))
    return start.index_add(0, segment_ids[inside], data[inside])


def segment_reduce(
    data: torch.Tensor, segment_ids: torch.Tensor, num_segments: int | None, reduce: str
) -> torch.Tensor:
    """``jax.ops.segment_max``, with ``"amax"``, and the like: ``"amin"``, ``"prod"``."""
    size = int(segment_ids.max()) + 1 if num_segments is None else num_segments
    kind = torch.finfo if data.is_floating_point() else torch.iinfo
    ends = {"amax": -torch.inf, "amin": torch.inf} if data.is_floating_point() else {
        "amax": kind(data.dtype).min, "amin": kind(data.dtype).max,
    }  # fmt: skip
    start = data.new_full((size, *data.shape[1:]), {"prod": 1, **ends}[reduce])
    inside = (segment_ids >= 0) & (segment_ids < size)  # JAX leaves the other rows out
    return start.index_reduce(0, segment_ids[inside], data[inside], reduce)
