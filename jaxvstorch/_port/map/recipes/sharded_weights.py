"""Shard the weights (FSDP, DTensor, tensor parallel).

A placement of PyTorch names an axis of the array for each axis of the mesh; a ``PartitionSpec``
names an axis of the mesh for each axis of the array. There is no wrapper: the sharding of the
weights is the strategy, and the optimizer's state takes it from them.
"""

PAGE = "parallelism-tensor"
NAMES = (
    "torch.distributed.fsdp.fully_shard",
    "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.fsdp.FSDPModule",
    "torch.distributed.fsdp.ShardingStrategy",
    "torch.distributed.device_mesh.init_device_mesh",
    "torch.distributed.device_mesh.DeviceMesh",
    "torch.distributed.tensor.distribute_tensor",
    "torch.distributed.tensor.DTensor",
    "torch.distributed.tensor.Shard",
    "torch.distributed.tensor.Replicate",
    "torch.distributed.tensor.parallel.parallelize_module",
    "torch.distributed.tensor.parallel.ColwiseParallel",
    "torch.distributed.tensor.parallel.RowwiseParallel",
    "jax.device_put",
    "jax.sharding.PartitionSpec",
    "jax.sharding.Mesh",
)


def with_torch():
    import tempfile

    import torch
    from torch import distributed
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            "gloo", init_method=f"file://{folder}/store", rank=0, world_size=1
        )
        mesh = init_device_mesh("cpu", (1,), mesh_dim_names=("model",))
        weight = distribute_tensor(torch.arange(8.0).reshape(2, 4), mesh, [Shard(1)])
        x = distribute_tensor(torch.ones(3, 2), mesh, [Replicate()])
        result = (x @ weight).full_tensor()
        distributed.destroy_process_group()
    return result


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = jax.make_mesh((jax.device_count(),), ("model",))
    weight = jnp.arange(8.0).reshape(2, 4)
    weight = jax.device_put(weight, NamedSharding(mesh, P(None, "model")))
    x = jax.device_put(jnp.ones((3, 2)), NamedSharding(mesh, P()))
    result = jax.jit(jnp.matmul)(x, weight)  # still sharded
    return jax.device_put(result, NamedSharding(mesh, P()))
