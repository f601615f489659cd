"""Feed a jitted step from a DataLoader.

Keep the loader of PyTorch. ``drop_last=True`` keeps one shape, where a shorter last batch would
compile the step again; ``collate_fn`` stacks in NumPy, so that no batch is a tensor first.
"""

PAGE = "data"
NAMES = (
    "torch.utils.data.DataLoader",
    "torch.utils.data.Dataset",
    "torch.utils.data.default_collate",
    "torch.utils.data._utils.collate.default_collate",
)


def with_torch():
    import torch
    from torch.utils.data import DataLoader, Dataset, default_collate

    class Numbers(Dataset):  # a list would do
        def __len__(self):
            return 10

        def __getitem__(self, i):
            return float(i), i % 3

    dataset = Numbers()

    def step(total, x, y):
        return total + (x * y).sum()

    total = torch.tensor(0.0)
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True):
        total = step(total, x.float(), y)
    return total, default_collate([dataset[1], dataset[2]])


def with_jax():
    import jax
    import numpy as np
    from torch.utils.data import DataLoader

    dataset = [(float(i), i % 3) for i in range(10)]

    def collate(items):
        return jax.tree.map(lambda *numbers: np.stack(numbers), *items)

    @jax.jit
    def step(total, x, y):
        return total + (x * y).sum()

    total = 0.0
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True, collate_fn=collate):
        total = step(total, x.astype(np.float32), y)
    return total, collate([dataset[1], dataset[2]])
