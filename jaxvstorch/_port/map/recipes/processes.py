"""Several processes (init_process_group).

``jax.distributed.initialize`` comes before the first array; then ``jax.devices()`` are those of all
processes, and one program runs in each. On one machine JAX needs one process for all its devices.
"""

PAGE = "parallelism-processes"
NAMES = (
    "torch.distributed.init_process_group",
    "torch.distributed.destroy_process_group",
    "torch.distributed.get_rank",
    "torch.distributed.get_world_size",
    "torch.distributed.is_initialized",
    "torch.distributed.is_available",
    "torch.distributed.barrier",
    "torch.distributed.get_backend",
    "torch.distributed.broadcast_object_list",
    "torch.distributed.all_gather_object",
    "torch.distributed.gather_object",
    "torch.distributed.new_group",
    "torch.distributed.group.WORLD",
    "jax.distributed.initialize",
    "jax.distributed.shutdown",
    "jax.process_index",
    "jax.process_count",
)


def with_torch():
    import tempfile

    import torch
    from torch import distributed

    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            "gloo", init_method=f"file://{folder}/store", rank=0, world_size=1
        )
        values = [None] * distributed.get_world_size()
        distributed.all_gather_object(values, distributed.get_rank() + 5)
        distributed.barrier()
        known = distributed.get_rank(), distributed.get_world_size()
        distributed.destroy_process_group()
    return *known, torch.tensor(values)


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.experimental import multihost_utils

    # where there are several: jax.distributed.initialize(address, processes, process)
    mine = jnp.array([jax.process_index() + 5])
    values = multihost_utils.process_allgather(mine, tiled=True)
    multihost_utils.sync_global_devices("all are here")
    return jax.process_index(), jax.process_count(), values
