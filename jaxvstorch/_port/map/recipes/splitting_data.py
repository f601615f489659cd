"""Split, shuffle and batch a data set.

A data set that fits into memory is a pytree of arrays: index it. A permutation of its indices,
drawn from the key of the epoch, is the sampler.
"""

PAGE = "data"
NAMES = (
    "torch.utils.data.random_split",
    "torch.utils.data.Subset",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.ConcatDataset",
    "jax.random.permutation",
)


def with_torch():
    import torch
    from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset, random_split

    data = TensorDataset(torch.arange(10.0), torch.arange(10) % 2)
    train, held_out = random_split(data, [8, 2])
    seen = [x for x, _ in DataLoader(train, batch_size=4, shuffle=True)]
    rest = [x for x, _ in DataLoader(held_out, batch_size=4)]
    first = Subset(data, range(3))
    joined = torch.stack([x for x, _ in ConcatDataset([first, first])])
    return [len(x) for x in seen], torch.cat(seen + rest).sort().values, joined


def with_jax():
    import jax
    import jax.numpy as jnp

    data = {"x": jnp.arange(10.0), "y": jnp.arange(10) % 2}
    train, held_out = jnp.split(jax.random.permutation(jax.random.key(0), 10), [8])
    shuffled = jax.random.permutation(jax.random.key(1), train)
    batches = [jax.tree.map(lambda a, i=i: a[i], data) for i in shuffled.reshape(-1, 4)]
    seen, rest = [batch["x"] for batch in batches], [data["x"][held_out]]
    first = jax.tree.map(lambda a: a[:3], data)
    joined = jax.tree.map(lambda *parts: jnp.concatenate(parts), first, first)
    return [len(x) for x in seen], jnp.sort(jnp.concatenate(seen + rest)), joined["x"]
