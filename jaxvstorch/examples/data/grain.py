"""Pipelines of grain, which return NumPy arrays for either framework."""

from typing import Any

import grain


def shuffled_batches(source: Any, size: int, seed: int, epochs: int = 1) -> grain.MapDataset:
    """Batches in a different order in each epoch; a batch may span two epochs."""
    return grain.MapDataset.source(source).shuffle(seed=seed).repeat(epochs).batch(size)


class Shifted(grain.transforms.RandomMap):  # type: ignore[misc]  # mypy does not read grain
    """Adds a random number to an example, by a generator that grain seeds for this example."""

    def random_map(self, element: Any, rng: Any) -> Any:
        """One example."""
        x, label = element
        return x + rng.random(dtype=x.dtype), label


def loader(source: Any, size: int, seed: int, workers: int = 0) -> grain.DataLoader:
    """The older interface: a sampler gives the order, and operations follow."""
    order = grain.samplers.IndexSampler(len(source), shuffle=True, seed=seed, num_epochs=1)
    return grain.DataLoader(
        data_source=source,
        sampler=order,
        operations=[grain.transforms.Batch(size)],
        shard_options=grain.sharding.NoSharding(),
        worker_count=workers,
    )
