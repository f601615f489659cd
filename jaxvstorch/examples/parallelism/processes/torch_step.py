"""The training step of PyTorch on several processes, data parallel and tensor parallel.

torchrun --standalone --nproc-per-node 2 -m jaxvstorch.examples.parallelism.processes.torch_step
"""

from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard

from jaxvstorch.examples.parallelism import torch as parallelism
from jaxvstorch.examples.parallelism.collectives import collectives_in_torch
from jaxvstorch.examples.parallelism.processes import share

# How w1, w2, x and y are cut: the rows of the batch, or the columns of w1 and the rows of w2.
DATA = Replicate(), Replicate(), Shard(0), Shard(0)
TENSOR = Shard(1), Shard(0), Replicate(), Replicate()


def global_tensors(placements: tuple[Placement, ...]) -> list[DTensor]:
    """Tensors on all processes, built from the part that each has."""
    here = dist.get_rank(), dist.get_world_size()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    made = []
    for array, placement in zip(share.training(), placements, strict=True):
        axis = placement.dim if isinstance(placement, Shard) else None
        local = torch.from_numpy(share.part(array, axis, *here))
        made.append(DTensor.from_local(local, mesh, [placement]))
    return made


def train_step(tensors: list[DTensor]) -> list[DTensor]:
    """The topic's step; what it returns is summed where parts of a sum still lie apart."""
    stepped: tuple[Any, ...] = parallelism.train_step(*tensors)  # DTensors too
    wanted = [Replicate()], *(tensor.placements for tensor in tensors[:2])
    return [new.redistribute(placements=each) for new, each in zip(stepped, wanted, strict=True)]


def main() -> None:
    """Take one step each way, and say what this process holds, and what the processes send."""
    dist.init_process_group("gloo")
    for way, placements in {"data": DATA, "tensor": TENSOR}.items():
        tensors = global_tensors(placements)
        loss, w1, w2 = train_step(tensors)
        print(f"process {dist.get_rank()}, {way}: loss {loss.to_local():.4f}")
        held = [tuple(tensor.to_local().shape) for tensor in (w1, w2, tensors[2])]
        print("holds w1 {}, w2 {}, x {}".format(*held))
        print(collectives_in_torch(train_step, tensors))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
