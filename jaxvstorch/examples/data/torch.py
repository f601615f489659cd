"""What a batch pipeline does on the device, in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int, UInt8
from torch import Tensor


def normalize_images(
    images: UInt8[Tensor, "n h w c"], mean: Float[Tensor, " c"], deviation: Float[Tensor, " c"]
) -> Float[Tensor, "n h w c"]:
    """Send bytes, and convert on the device: a quarter of what float32 would send."""
    return (images.to(mean.dtype) / 255 - mean) / deviation


def flip_images(
    images: Float[Tensor, "n h w c"], flip: Bool[Tensor, " n"]
) -> Float[Tensor, "n h w c"]:
    """Some images with left and right exchanged."""
    return torch.where(flip[:, None, None, None], images.flip(2), images)


def crop_images(
    images: Float[Tensor, "n h w c"], tops: Int[Tensor, " n"], lefts: Int[Tensor, " n"], size: int
) -> Float[Tensor, "n out out c"]:
    """A square cut out of each image."""
    steps = torch.arange(size, device=images.device)
    each = torch.arange(len(images), device=images.device)[:, None, None]
    rows = (tops[:, None] + steps)[:, :, None]
    columns = (lefts[:, None] + steps)[:, None, :]
    return images[each, rows, columns]


def batches_of_epoch(
    examples: Float[Tensor, "n d"], order: Int[Tensor, " n"], size: int
) -> Float[Tensor, "steps batch d"]:
    """The examples in their order, cut into batches; an incomplete last batch is dropped."""
    steps = len(order) // size
    return examples[order[: steps * size].reshape(steps, size)]


def mixup(
    x: Float[Tensor, "n d"],
    targets: Float[Tensor, "n k"],
    order: Int[Tensor, " n"],
    weight: Float[Tensor, ""],
) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n k"]]:
    """Each example mixed with another one, and its target with the other's.

    Source: Zhang et al., mixup: Beyond Empirical Risk Minimization, arXiv:1710.09412.
    """
    return x[order].lerp(x, weight), targets[order].lerp(targets, weight)


def masked_mean_loss(
    logits: Float[Tensor, "n k"], labels: Int[Tensor, " n"], mask: Bool[Tensor, " n"]
) -> Float[Tensor, ""]:
    """The mean cross-entropy of the rows in the mask; 0 if there are none."""
    losses = F.cross_entropy(logits, labels.long(), reduction="none")
    return torch.where(mask, losses, 0).sum() / mask.sum().clamp(min=1)


def segment_positions(segments: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
    """The position of each token in its sequence."""
    places = torch.arange(len(segments), device=segments.device)
    starts = F.pad(segments[1:] != segments[:-1], (1, 0), value=True)
    return places - torch.where(starts, places, 0).cummax(0).values


def segment_mask(segments: Int[Tensor, " n"]) -> Bool[Tensor, "n n"]:
    """Which tokens (columns) each token (row) may attend to: padding, 0, to none."""
    same = (segments[:, None] == segments) & (segments != 0)
    return same.tril()
