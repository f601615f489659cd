"""Change a sharding inside a program (redistribute, SequenceParallel).

The axes of ``jax.make_mesh`` are explicit: ``jax.reshard`` changes a sharding, and
``lax.with_sharding_constraint`` raises. It is for a mesh whose axes are ``AxisType.Auto``.
"""

PAGE = "parallelism-tensor"
NAMES = (
    "torch.distributed.tensor.parallel.SequenceParallel",
    "torch.distributed.tensor.parallel.PrepareModuleInput",
    "torch.distributed.tensor.DTensor.redistribute",
    "jax.reshard",
    "lax.with_sharding_constraint",
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
        mesh = init_device_mesh("cpu", (1,))
        x = distribute_tensor(torch.arange(16.0).reshape(4, 4), mesh, [Shard(0)])
        columns = (2 * x).redistribute(placements=[Shard(1)])
        result = columns.redistribute(placements=[Replicate()]).to_local()
        distributed.destroy_process_group()
    return result


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    x = jax.device_put(jnp.arange(16.0).reshape(4, 4), NamedSharding(mesh, P("data", None)))

    @jax.jit
    def double(x):
        columns = jax.reshard(2 * x, P(None, "data"))
        return jax.reshard(columns, P())

    with jax.set_mesh(mesh):  # where a PartitionSpec alone says the sharding
        result = double(x)
    return result
