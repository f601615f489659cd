"""Indices and dtypes written out, in PyTorch."""

import torch
from jaxtyping import Float, Float32, Int, Int32, UInt8
from torch import Tensor


def pick_per_row(x: Float[Tensor, "n k"], columns: Int[Tensor, " n"]) -> Float[Tensor, " n"]:
    """One element of each row; negative columns count from the end."""
    return x.gather(1, (columns % x.shape[1])[:, None])[:, 0]


def take_wrapped(x: Float[Tensor, " n"], places: Int[Tensor, " k"]) -> Float[Tensor, " k"]:
    """The elements at these indices, as if ``x`` wrapped around."""
    return x[places % len(x)]


def take_columns(x: Float[Tensor, "heads n d"], columns: Int[Tensor, " k"]) -> Float[Tensor, "n k"]:
    """Some columns of the first head; two steps, so that the axes keep their order."""
    return x[0][:, columns]


def reverse_steps(x: Float[Tensor, " n"], step: int) -> Float[Tensor, " k"]:
    """Every ``step``-th element, from the last to the first."""
    return x.flip(0)[::step]


def segment_softmax(
    scores: Float[Tensor, " n"], labels: Int[Tensor, " n"], count: int
) -> Float[Tensor, " n"]:
    """The softmax of the scores that have one label, for each of ``count`` labels."""
    labels = labels.long()
    lowest = scores.new_full((count,), -torch.inf)
    largest = lowest.scatter_reduce(0, labels, scores.detach(), "amax")
    weights = torch.exp(scores - largest[labels])
    return weights / scores.new_zeros(count).index_add(0, labels, weights)[labels]


def divmod_or_zero(
    a: Int32[Tensor, " n"], b: Int32[Tensor, " n"]
) -> tuple[Int32[Tensor, " n"], Int32[Tensor, " n"]]:
    """Quotients rounded down and remainders with the sign of ``b``; both 0 where ``b`` is."""
    divisor = torch.where(b == 0, 1, b)
    return torch.where(b == 0, 0, a // divisor), a % divisor


def scale_kept(x: Float[Tensor, " n"], scale: Float[Tensor, ""]) -> Float[Tensor, " n"]:
    """Scaled in the dtype of ``x``."""
    return x * scale.to(x.dtype)


def to_bytes(x: Float32[Tensor, " n"]) -> UInt8[Tensor, " n"]:
    """Rounded and clipped to what a byte holds; NaN becomes 0."""
    inside = torch.clamp(torch.nan_to_num(x, nan=0.0), 0, 255)
    return torch.round(inside).to(torch.uint8)


def _rounded(x: Tensor, dropped: int) -> Tensor:
    """To the nearest number whose fraction has fewer bits, and to the even one of two as near.

    By the bits, because ``torch.compile`` drops a cast to bfloat16 that is cast back at once.
    """
    bits = x.view(torch.int32)
    below_half = 2 ** (dropped - 1) - 1
    bits = bits + below_half + ((bits >> dropped) & 1)
    return (bits & -(2**dropped)).view(torch.float32)


def matmul_tf32(a: Float32[Tensor, "n k"], b: Float32[Tensor, "k m"]) -> Float32[Tensor, "n m"]:
    """The product of matrices rounded to TF32, which keeps ten bits of the fraction."""
    return _rounded(a, dropped=13) @ _rounded(b, dropped=13)


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """The number rounded to bfloat16, and what that leaves, rounded too; both in float32."""
    high = _rounded(x, dropped=16)
    return high, _rounded(x - high, dropped=16)


def matmul_in_parts(a: Float32[Tensor, "n k"], b: Float32[Tensor, "k m"]) -> Float32[Tensor, "n m"]:
    """Three bfloat16 products, added up in float32."""
    (a_high, a_low), (b_high, b_low) = _parts(a), _parts(b)
    low = a_high @ b_low + a_low @ b_high
    return low + a_high @ b_high
