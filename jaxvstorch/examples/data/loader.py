"""What PyTorch's ``DataLoader`` needs to begin in the middle of an epoch."""

from collections.abc import Iterator

from torch.utils.data import Sampler

from jaxvstorch.examples.data.batches import order_of_epoch


class EpochSampler(Sampler[int]):
    """The order of an epoch, from any example on."""

    def __init__(self, count: int, seed: int) -> None:
        self.count, self.seed = count, seed
        self.epoch = self.start = 0

    def set_epoch(self, epoch: int, start: int = 0) -> None:
        """The next iteration is of this epoch, without its first ``start`` examples."""
        self.epoch, self.start = epoch, start

    def __len__(self) -> int:
        return self.count - self.start

    def __iter__(self) -> Iterator[int]:
        order = order_of_epoch(self.count, self.seed, self.epoch)
        return iter(order[self.start :].tolist())
