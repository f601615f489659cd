"""Samplers: in what order a data set is read.

A sampler is an array of indices, drawn from a key: a permutation, or ``jax.random.choice`` with
probabilities. Reshaped, it holds a row of indices for each batch.
"""

PAGE = "data"
NAMES = (
    "torch.utils.data.Sampler",
    "torch.utils.data.RandomSampler",
    "torch.utils.data.SequentialSampler",
    "torch.utils.data.BatchSampler",
    "torch.utils.data.SubsetRandomSampler",
    "torch.utils.data.WeightedRandomSampler",
    "torch.utils.data.sampler.Sampler",
    "jax.random.permutation",
    "jax.random.choice",
)


def with_torch():
    import torch
    from torch.utils.data import (
        BatchSampler,
        RandomSampler,
        SequentialSampler,
        SubsetRandomSampler,
        WeightedRandomSampler,
    )  # fmt: skip

    data = range(8)
    in_order = [*BatchSampler(SequentialSampler(data), batch_size=3, drop_last=True)]
    shuffled = sorted(RandomSampler(data))
    half = sorted(SubsetRandomSampler([0, 2, 4, 6]))
    weighted = torch.tensor([*WeightedRandomSampler([0.1, 0.0, 0.9], num_samples=10_000)])
    share = (weighted == 2).float().mean()
    return in_order, shuffled, half, (share - 0.9).abs() < 0.02


def with_jax():
    import jax
    import jax.numpy as jnp

    first, second, third = jax.random.split(jax.random.key(0), 3)
    in_order = jnp.arange(8)[: 8 // 3 * 3].reshape(-1, 3)
    shuffled = jax.random.permutation(first, 8)
    half = jax.random.permutation(second, jnp.array([0, 2, 4, 6]))
    weighted = jax.random.choice(third, 3, (10_000,), p=jnp.array([0.1, 0.0, 0.9]))
    share = (weighted == 2).mean()
    return [*in_order.ravel()], [*jnp.sort(shuffled)], [*jnp.sort(half)], abs(share - 0.9) < 0.02
