"""The training step of JAX on several processes, data parallel and tensor parallel.

    python -m jaxvstorch.examples.parallelism.processes.jax_step 127.0.0.1:9911 2 0
    python -m jaxvstorch.examples.parallelism.processes.jax_step 127.0.0.1:9911 2 1

The arguments are the address of process 0, the number of processes and this one's number. Without
them JAX asks the scheduler that it runs under, such as Slurm.
"""

import sys

import jax
from jax import Array
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxvstorch.examples.parallelism import jax as parallelism
from jaxvstorch.examples.parallelism.collectives import collectives_in_jax
from jaxvstorch.examples.parallelism.processes import share

# How w1, w2, x and y are cut: the rows of the batch, or the columns of w1 and the rows of w2.
DATA = P(), P(), P("devices"), P("devices")
TENSOR = P(None, "devices"), P("devices"), P(), P()


def global_arrays(specs: tuple[P, ...]) -> list[Array]:
    """Arrays on all processes, built from the part that each has."""
    here = jax.process_index(), jax.process_count()
    mesh = jax.make_mesh((jax.device_count(),), ("devices",), (AxisType.Auto,))
    made = []
    for array, spec in zip(share.training(), specs, strict=True):
        axis = spec.index("devices") if "devices" in spec else None
        local = share.part(array, axis, *here)
        sharding = NamedSharding(mesh, spec)
        made.append(jax.make_array_from_process_local_data(sharding, local))
    return made


def main() -> None:
    """Take one step each way, and say what this process holds, and what the processes send."""
    if arguments := sys.argv[1:]:
        address, processes, process = arguments
        # JAX would still ask a scheduler that it finds, such as Kubernetes, for what is not given.
        off = "deactivate"
        jax.distributed.initialize(
            address, int(processes), int(process), cluster_detection_method=off
        )
    else:
        jax.distributed.initialize()
    for way, specs in {"data": DATA, "tensor": TENSOR}.items():
        arrays = global_arrays(specs)
        loss, w1, w2 = jax.block_until_ready(jax.jit(parallelism.train_step)(*arrays))
        print(f"process {jax.process_index()}, {way}: loss {loss:.4f}")
        held = [array.addressable_shards[0].data.shape for array in (w1, w2, arrays[2])]
        print("holds w1 {}, w2 {}, x {}".format(*held))
        print(collectives_in_jax(parallelism.train_step, *arrays))


if __name__ == "__main__":
    main()
