"""A data set that is a stream (IterableDataset).

A generator is one. Give each process its own part: PyTorch's ``DistributedSampler`` takes each
n-th index, and so does a slice.
"""

PAGE = "data"
NAMES = (
    "torch.utils.data.IterableDataset",
    "torch.utils.data.DistributedSampler",
    "torch.utils.data.distributed.DistributedSampler",
)


def with_torch():
    import torch
    from torch.utils.data import DataLoader, DistributedSampler, IterableDataset

    class Squares(IterableDataset):
        def __iter__(self):
            return (float(i**2) for i in range(6))

    batches = [batch.float() for batch in DataLoader(Squares(), batch_size=3)]
    sampler = DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False)
    return torch.stack(batches), torch.tensor(list(sampler))


def with_jax():
    import itertools

    import jax.numpy as jnp
    import numpy as np

    squares = (np.float32(i**2) for i in range(6))
    batches = []
    while batch := list(itertools.islice(squares, 3)):
        batches.append(jnp.asarray(batch))
    process, processes = 1, 2  # jax.process_index(), jax.process_count()
    return jnp.stack(batches), np.arange(6)[process::processes]
