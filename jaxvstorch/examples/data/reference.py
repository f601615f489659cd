"""The answers of the examples on data, in NumPy and float64."""

from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def normalize_images(images: Array, mean: Array, deviation: Array) -> Array:
    """Bytes as numbers from 0 to 1, less the mean, in units of the deviation."""
    return np.asarray((images / 255 - mean) / deviation)


def flip_images(images: Array, flip: Array) -> Array:
    """Some images with left and right exchanged."""
    return np.stack([image[:, ::-1] if f else image for image, f in zip(images, flip, strict=True)])


def crop_images(images: Array, tops: Array, lefts: Array, size: int) -> Array:
    """A square cut out of each image."""
    corners = zip(images, tops, lefts, strict=True)
    return np.stack([image[i : i + size, j : j + size] for image, i, j in corners])


def batches_of_epoch(examples: Array, order: Array, size: int) -> Array:
    """The examples in their order, cut into batches; an incomplete last batch is dropped."""
    starts = range(0, len(order) - size + 1, size)
    return np.stack([examples[order[start : start + size]] for start in starts])


def mixup(x: Array, targets: Array, order: Array, weight: Array) -> tuple[Array, Array]:
    """Each example mixed with another one, and its target with the other's."""
    mixed = [weight * each + (1 - weight) * each[order] for each in (x, targets)]
    return mixed[0], mixed[1]


def masked_mean_loss(logits: Array, labels: Array, mask: Array) -> Array:
    """The mean cross-entropy of the rows in the mask."""
    logits, labels = logits[mask], labels[mask]
    largest = logits.max(axis=1)
    log_sum = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1))
    return np.asarray((log_sum - logits[np.arange(len(labels)), labels]).mean())


def segment_positions(segments: Array) -> Array:
    """The position of each token in its sequence."""
    places = [0]
    for before, after in pairwise(segments):
        places.append(places[-1] + 1 if before == after else 0)
    return np.asarray(places)


def segment_mask(segments: Array) -> Array:
    """Which tokens (columns) each token (row) may attend to."""
    n = len(segments)
    return np.array(
        [[segments[i] == segments[j] != 0 and j <= i for j in range(n)] for i in range(n)]
    )
