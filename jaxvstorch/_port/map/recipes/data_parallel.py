"""Data parallel training (DistributedDataParallel).

PyTorch starts a process for each device, and averages the gradients of each one's part of the
batch. One process of JAX drives all devices: shard the batch, replicate the weights, and the
compiler adds the sum over the devices.
"""

PAGE = "parallelism"
NAMES = (
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.DataParallel",
    "torch.nn.parallel.data_parallel",
    "torch.multiprocessing.spawn",
    "jax.make_mesh",
    "jax.sharding.NamedSharding",
)


def with_torch():
    import tempfile

    import torch
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    with tempfile.TemporaryDirectory() as folder:  # torchrun sets rank and world size
        distributed.init_process_group(
            "gloo", init_method=f"file://{folder}/store", rank=0, world_size=1
        )
        linear = torch.nn.Linear(2, 1, bias=False)
        torch.nn.init.constant_(linear.weight, 0.5)
        model = DistributedDataParallel(linear)
        batch = torch.arange(16.0).reshape(8, 2)  # the part of this process
        (model(batch) ** 2).mean().backward()
        distributed.destroy_process_group()
    return linear.weight.grad.T


def with_jax():
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    weight = jax.device_put(jnp.full((2, 1), 0.5), NamedSharding(mesh, P()))
    batch = jnp.arange(16.0).reshape(8, 2)  # the whole batch
    batch = jax.device_put(batch, NamedSharding(mesh, P("data")))

    @jax.jit
    def gradient(weight, batch):
        return jax.grad(lambda w: ((batch @ w) ** 2).mean())(weight)

    return gradient(weight, batch)
