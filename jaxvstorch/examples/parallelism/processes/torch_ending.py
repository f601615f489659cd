"""Processes of PyTorch meet in a sum; then the last one goes wrong, and the others meet again.

export SECONDS_TO_COME=300
torchrun --nproc-per-node 2 -m jaxvstorch.examples.parallelism.processes.torch_ending killed
"""

import os
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from jaxvstorch.examples.parallelism.processes.going_wrong import go_wrong

SECONDS = 5  # of each collective; not PyTorch's own 1800, for Gloo


def total() -> float:
    """The sum of one number from each process."""
    ones = torch.ones(1)
    dist.all_reduce(ones)
    return float(ones)


def main() -> None:
    """Meet, let the last process go wrong, and meet again, later than the time limit."""
    coming = timedelta(seconds=int(os.environ["SECONDS_TO_COME"]))
    store, rank, size = next(rendezvous("env://", timeout=coming))
    limit = timedelta(seconds=SECONDS)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=limit)
    print("sum:", total())
    if dist.get_rank() == dist.get_world_size() - 1:
        go_wrong(sys.argv[-1], 3 * SECONDS)
    time.sleep(SECONDS + 1)
    try:
        print("sum:", total())
    except RuntimeError as error:
        print(f"RuntimeError: {error}")
        os._exit(1)  # an ordinary end sometimes aborts, when Gloo's threads still run


if __name__ == "__main__":
    main()
