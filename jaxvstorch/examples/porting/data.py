"""Images of digits and the batches of a training run, as NumPy arrays."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from jaxvstorch.examples.porting.settings import BATCH

Array = np.ndarray[Any, Any]
TRAINING = 1_500  # of 1,797


class Digits(NamedTuple):
    """Images, and their labels."""

    images: Array  # float32[n 8 8], from 0 to 1
    labels: Array  # int64[n], from 0 to 9


def load() -> tuple[Digits, Digits]:
    """Digits for training and for evaluation, from scikit-learn's own files."""
    from sklearn.datasets import load_digits

    found = load_digits()
    images, labels = (found.images / 16).astype(np.float32), found.target.astype(np.int64)
    return (
        Digits(images[:TRAINING], labels[:TRAINING]),
        Digits(images[TRAINING:], labels[TRAINING:]),
    )


def batches(digits: Digits, steps: int, size: int = BATCH, seed: int = 0) -> Iterator[Digits]:
    """Batches, ``steps`` of them; each pass has another order, and drops what fills no batch."""
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(len(digits.labels))
        for start in range(0, len(order) - size + 1, size):
            if steps == 0:
                return
            steps -= 1
            chosen = order[start : start + size]
            yield Digits(digits.images[chosen], digits.labels[chosen])
