"""Processes of JAX meet in a sum; then one goes wrong, and the others meet again.

export SECONDS_TO_COME=300
python -m jaxvstorch.examples.parallelism.processes.jax_ending 127.0.0.1:9911 2 0 killed
python -m jaxvstorch.examples.parallelism.processes.jax_ending 127.0.0.1:9911 2 1 killed
"""

import os
import sys
import time

import jax
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from jaxvstorch.examples.parallelism.processes.going_wrong import go_wrong

SECONDS = 5  # not JAX's own 100 without a heartbeat, and 300 until all leave


def total() -> float:
    """The sum of one number from each process."""
    sharding = NamedSharding(jax.make_mesh((jax.device_count(),), ("devices",)), P("devices"))
    ones = jax.make_array_from_process_local_data(sharding, np.ones(1, np.float32))
    return float(jax.jit(lambda x: x.sum())(ones))


def main() -> None:
    """Meet, let a process go wrong, and meet again after a second, or after some more."""
    jax.distributed.initialize(
        sys.argv[1],
        int(sys.argv[2]),
        int(sys.argv[3]),
        initialization_timeout=int(os.environ["SECONDS_TO_COME"]),
        heartbeat_timeout_seconds=SECONDS,
        shutdown_timeout_seconds=SECONDS,
    )
    print("sum:", total())
    first = sys.argv[4] == "killed first"
    if jax.process_index() == (0 if first else jax.process_count() - 1):
        go_wrong("killed" if first else sys.argv[4], 3 * SECONDS)
    time.sleep(float(sys.argv[5]) if sys.argv[5:] else 1)
    try:
        print("sum:", total())
    except (jax.errors.JaxRuntimeError, ValueError) as error:  # the first call's, and a later one's
        print(f"{type(error).__name__}: {error}")
        os._exit(1)  # an ordinary end would wait for the process that is no more


if __name__ == "__main__":
    main()
