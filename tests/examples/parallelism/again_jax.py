"""What JAX raises when a process is gone: at a function's first call, and at a later one."""

import os
import sys
import time

import jax
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxvstorch.examples.parallelism.processes.going_wrong import go_wrong


def main() -> None:
    jax.distributed.initialize(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sharding = NamedSharding(jax.make_mesh((jax.device_count(),), ("devices",)), P("devices"))
    ones = jax.make_array_from_process_local_data(sharding, np.ones(1, np.float32))
    known, new = jax.jit(lambda x: x.sum()), jax.jit(lambda x: (2 * x).sum())
    print("sum:", known(ones))
    if jax.process_index() == 1:
        go_wrong("killed", 0)
    time.sleep(1)
    for function in (new, known):
        try:
            function(ones).block_until_ready()
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    os._exit(0)


if __name__ == "__main__":
    main()
