"""What several processes of JAX compute: each writes it to a file, for a test to compare."""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxvstorch.examples.parallelism import jax as parallelism
from jaxvstorch.examples.parallelism.collectives import collectives_in_jax
from jaxvstorch.examples.parallelism.processes import jax_step


def mean_loss(w1, w2, x, y):
    """Of all processes, from within a ``shard_map``."""
    return lax.pmean(parallelism.mlp_loss(w1, w2, x, y), "devices")


def main() -> None:
    address, processes, process, folder = sys.argv[1:]
    jax.distributed.initialize(address, int(processes), int(process))
    found = {}
    for way, specs in {"data": jax_step.DATA, "tensor": jax_step.TENSOR}.items():
        arrays = jax_step.global_arrays(specs)
        found[f"{way}.step"] = jax.jit(parallelism.train_step)(*arrays)
        found[f"{way}.slopes"] = jax.jit(jax.grad(parallelism.mlp_loss, (0, 1)))(*arrays)
        found[f"{way}.held"] = [shard.data.shape for shard in map(own, arrays)]
        found[f"{way}.sent"] = collectives_in_jax(parallelism.train_step, *arrays)
    arrays = jax_step.global_arrays(jax_step.DATA)
    mesh = arrays[0].sharding.mesh
    mapped = jax.shard_map(mean_loss, mesh=mesh, in_specs=jax_step.DATA, out_specs=P())
    found["shard_map.slopes"] = jax.jit(jax.grad(mapped, (0, 1)))(*arrays)
    found |= told_differently(mesh)
    flat = {
        f"{name}.{place}": whole(value)
        for name, values in found.items()
        for place, value in enumerate(values)
    }
    np.savez(Path(folder) / f"{process}.npz", **flat)


def told_differently(mesh):
    """What JAX makes of rows whose number differs, and of a number that should not."""
    process, processes = jax.process_index(), jax.process_count()
    rows = np.full(8 // processes + (process == 0) - (process == processes - 1), process + 1.0)
    cut, uncut = NamedSharding(mesh, P("devices")), NamedSharding(mesh, P())
    uneven = jax.make_array_from_process_local_data(cut, rows)
    refused = []
    for make, arguments in (
        (jax.make_array_from_process_local_data, (cut, rows, (8,))),
        (jax.device_put, (np.float32(process), uncut)),
        (jax.device_put, (np.float32("nan"), uncut)),
        (np.asarray, (uneven,)),
    ):
        try:
            make(*arguments)
        except (ValueError, AssertionError, RuntimeError) as error:
            refused.append(str(error))
    believed = jax.make_array_from_process_local_data(uncut, np.float32(process))
    return {
        "uneven.shape": uneven.shape,
        "uneven.sum": [np.asarray(jax.jit(jnp.sum)(uneven))],
        "uneven.mean": [np.asarray(jax.jit(jnp.mean)(uneven))],
        "refused": refused,
        "believed": [own(believed).data],
    }


def own(array):
    (shard,) = array.addressable_shards
    return shard


def whole(value):
    if isinstance(value, jax.Array) and not value.is_fully_addressable:
        return process_allgather(value, tiled=True)
    return value


if __name__ == "__main__":
    main()
