"""Batches with only NumPy: an order for each epoch, a place to resume from, and padding."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def order_of_epoch(count: int, seed: int, epoch: int) -> Array:
    """The numbers below ``count`` in an order that seed and epoch decide."""
    return np.random.default_rng((seed, epoch)).permutation(count)


def numpy_collate(examples: Sequence[Any]) -> Any:
    """One array for each part of the examples, which are arrays, numbers or tuples of them."""
    if isinstance(examples[0], tuple):
        return tuple(numpy_collate(part) for part in zip(*examples, strict=True))
    return np.stack(examples)


def pad_batch(batch: tuple[Array, ...], size: int) -> tuple[tuple[Array, ...], Array]:
    """The batch with rows of zeros up to ``size``, and which rows are examples."""
    count = len(batch[0])
    rows = [np.concatenate([x, np.zeros((size - count, *x.shape[1:]), x.dtype)]) for x in batch]
    return tuple(rows), np.arange(size) < count


class Batches:
    """The batches of one epoch after another; where it is can be saved.

    Iterating goes on to the end of the epoch, and again through the next one.
    """

    def __init__(self, source: Any, size: int, seed: int) -> None:
        self.source, self.size, self.seed = source, size, seed
        self.epoch = self.step = 0

    def __iter__(self) -> Iterator[Any]:
        order = order_of_epoch(len(self.source), self.seed, self.epoch)
        while len(rows := order[self.step * self.size :][: self.size]):
            self.step += 1
            yield numpy_collate([self.source[row] for row in rows])
        self.epoch, self.step = self.epoch + 1, 0

    def state(self) -> dict[str, int]:
        """What to save in a checkpoint."""
        return {"epoch": self.epoch, "step": self.step}

    def restore(self, state: dict[str, int]) -> None:
        """Resume after the batch that was the last one when the state was saved."""
        self.epoch, self.step = state["epoch"], state["step"]
