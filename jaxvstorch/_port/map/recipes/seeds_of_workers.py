"""Seeds of data-loading workers.

Each worker of a DataLoader seeds PyTorch and ``random`` by ``torch.initial_seed()``, its own one.
With JAX, draw in NumPy, from the seed and the number of the item: then a number depends neither on
the worker nor on how many there are.
"""

PAGE = "data-workers"
NAMES = ("torch.initial_seed", "torch.utils.data.get_worker_info")


def with_torch():
    import torch
    from torch.utils.data import DataLoader

    class Noise(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            generator = torch.Generator().manual_seed(1000 + index)
            return torch.rand((), generator=generator)

    once, twice = torch.cat([*DataLoader(Noise(), 4)]), torch.cat([*DataLoader(Noise(), 2)])
    return once.equal(twice), once.unique().numel()


def with_jax():
    import numpy as np

    class Noise:
        def __len__(self):
            return 4

        def __getitem__(self, index):
            return np.random.default_rng((1000, index)).random(dtype=np.float32)

    items = Noise()
    once = np.stack([items[i] for i in range(4)])
    twice = np.stack([items[i] for i in (0, 1, 2, 3)])
    return np.array_equal(once, twice), len(np.unique(once))
