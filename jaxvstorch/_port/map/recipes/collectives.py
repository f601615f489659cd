"""Collectives: all_reduce, all_gather, broadcast.

In ``jax.shard_map`` the function sees its device's part, and ``jax.lax`` has the collectives, which
return their result. Without ``shard_map`` the compiler inserts them where sharded arrays meet.
"""

PAGE = "parallelism-collectives"
NAMES = (
    "torch.distributed.all_reduce",
    "torch.distributed.all_gather",
    "torch.distributed.all_gather_into_tensor",
    "torch.distributed.reduce_scatter",
    "torch.distributed.reduce_scatter_tensor",
    "torch.distributed.all_to_all",
    "torch.distributed.all_to_all_single",
    "torch.distributed.broadcast",
    "torch.distributed.reduce",
    "torch.distributed.gather",
    "torch.distributed.scatter",
    "torch.distributed.ReduceOp.SUM",
    "torch.distributed.ReduceOp.MAX",
    "torch.distributed.nn.all_gather",
    "torch.distributed.nn.functional.all_gather",
    "torch.distributed.isend",
    "torch.distributed.irecv",
    "torch.distributed.send",
    "torch.distributed.recv",
    "torch.distributed.batch_isend_irecv",
    "torch.distributed.P2POp",
    "jax.shard_map",
    "lax.psum",
    "lax.pmean",
    "lax.all_gather",
    "lax.psum_scatter",
    "lax.all_to_all",
    "lax.ppermute",
)


def with_torch():
    import tempfile

    import torch
    from torch import distributed

    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            "gloo", init_method=f"file://{folder}/store", rank=0, world_size=1
        )
        part = torch.arange(8.0)  # the part of this process
        total, largest = part.sum(), part.max()
        distributed.all_reduce(total)
        distributed.all_reduce(largest, op=distributed.ReduceOp.MAX)
        parts = [torch.empty_like(part) for _ in range(distributed.get_world_size())]
        distributed.all_gather(parts, part)
        distributed.destroy_process_group()
    return total, largest, torch.cat(parts)


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec as P

    mesh = jax.make_mesh((jax.device_count(),), ("data",))

    @jax.shard_map(mesh=mesh, in_specs=P("data"), out_specs=P(), check_vma=False)
    def reduce(part):
        total = jax.lax.psum(part.sum(), "data")
        largest = jax.lax.pmax(part.max(), "data")
        parts = jax.lax.all_gather(part, "data", tiled=True)
        return total, largest, parts

    x = jax.device_put(jnp.arange(8.0), jax.NamedSharding(mesh, P("data")))
    return jax.jit(reduce)(x)
