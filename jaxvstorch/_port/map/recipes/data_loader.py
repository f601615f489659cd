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
    from torch.utils.data import DataLoader

    dataset = [(float(i), i % 3) for i in range(10)]

    def step(total, x, y):
        return total + (x * y).sum()

    total = torch.tensor(0.0)
    for x, y in DataLoader(dataset, batch_size=4, drop_last=True):
        total = step(total, x.float(), y)
    return total


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
    return total
