"""Save and restore sharded weights.

orbax writes each device's part, and restores it to the sharding of the state that it is given: the
mesh may be another one.
"""

PAGE = "checkpoints"
NAMES = (
    "torch.distributed.checkpoint.save",
    "torch.distributed.checkpoint.load",
    "torch.distributed.checkpoint.FileSystemReader",
    "torch.distributed.checkpoint.FileSystemWriter",
    "torch.distributed.checkpoint.state_dict.get_model_state_dict",
    "torch.distributed.checkpoint.state_dict.set_model_state_dict",
)


def with_torch():
    import tempfile

    import torch
    from torch import distributed
    from torch.distributed import checkpoint

    saved, state = {"weight": torch.arange(4.0)}, {"weight": torch.zeros(4)}
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group(
            "gloo", init_method=f"file://{folder}/store", rank=0, world_size=1
        )
        checkpoint.save(saved, checkpoint_id=f"{folder}/weights")
        checkpoint.load(state, checkpoint_id=f"{folder}/weights")
        distributed.destroy_process_group()
    return state["weight"]


def with_jax():
    import tempfile

    import jax
    import jax.numpy as jnp
    import orbax.checkpoint as ocp
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    sharding = NamedSharding(jax.make_mesh((jax.device_count(),), ("data",)), P("data"))
    saved = {"weight": jax.device_put(jnp.arange(4.0), sharding)}
    wanted = {"weight": jax.ShapeDtypeStruct((4,), jnp.float32, sharding=sharding)}
    with tempfile.TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(f"{folder}/weights", saved)
        checkpointer.wait_until_finished()
        state = checkpointer.restore(f"{folder}/weights", wanted)
    return state["weight"]
