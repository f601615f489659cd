"""Batch norm across devices (SyncBatchNorm).

Under ``jax.jit`` a sharded batch has the mean of the whole batch: nothing to do. In ``vmap`` or
``shard_map``, ``axis_name`` of ``nnx.BatchNorm`` names the axis to average over.
"""

PAGE = "modules"
NAMES = ("torch.nn.SyncBatchNorm", "torch.nn.SyncBatchNorm.convert_sync_batchnorm", "nnx.BatchNorm")


def with_torch():
    import torch

    norm = torch.nn.BatchNorm1d(2)  # SyncBatchNorm.convert_sync_batchnorm(model) on several GPUs
    x = torch.sin(torch.arange(16.0)).reshape(8, 2)
    return norm(x).detach()


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    norm = nnx.BatchNorm(2, use_fast_variance=False, rngs=nnx.Rngs(0))
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    x = jnp.sin(jnp.arange(16.0)).reshape(8, 2)
    x = jax.device_put(x, NamedSharding(mesh, P("data")))
    return nnx.jit(lambda norm, x: norm(x))(norm, x)
