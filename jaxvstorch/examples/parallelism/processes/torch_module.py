"""A module of PyTorch trained on several processes in three ways: DDP, FSDP2, tensor parallel.

torchrun --standalone --nproc-per-node 2 -m jaxvstorch.examples.parallelism.processes.torch_module
"""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from jaxvstorch.examples.parallelism.collectives import collectives_in_torch
from jaxvstorch.examples.parallelism.processes import share


class Mlp(nn.Module):
    """The topic's ``mlp`` with its matrices; an ``nn.Linear`` holds them transposed."""

    def __init__(self) -> None:
        super().__init__()
        w1, w2, *_ = map(torch.from_numpy, share.training())
        self.up = nn.Linear(w1.shape[0], w1.shape[1], bias=False)
        self.down = nn.Linear(w2.shape[0], w2.shape[1], bias=False)
        self.load_state_dict({"up.weight": w1.T, "down.weight": w2.T})

    def forward(self, x: Tensor) -> Tensor:
        """Two matrices with a hyperbolic tangent between them."""
        return self.down(torch.tanh(self.up(x)))


def data_parallel() -> nn.Module:
    """Each process holds both matrices; ``backward`` gives all of them the mean gradients."""
    return DistributedDataParallel(Mlp())


def fully_sharded() -> nn.Module:
    """Each process holds rows of both matrices, and gets the others while it needs them."""
    model = Mlp()
    for layer in (model.up, model.down, model):
        fully_shard(layer)
    return model


def tensor_parallel() -> nn.Module:
    """Each process holds columns of the first matrix and the same rows of the second."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    return parallelize_module(Mlp(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})


WAYS = {"DDP": data_parallel, "FSDP2": fully_sharded, "tensor parallel": tensor_parallel}


def batch(way: str) -> list[Tensor]:
    """This process's rows of ``x`` and ``y``; all rows where the matrices alone are cut."""
    axis = None if way == "tensor parallel" else 0
    here = dist.get_rank(), dist.get_world_size()
    return [torch.from_numpy(share.part(array, axis, *here)) for array in share.training()[2:]]


def train_step(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Change the model by one step of gradient descent with rate 0.1; the loss before it."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = torch.mean((model(x) - y) ** 2)
    loss.backward()
    optimizer.step()
    return loss.detach()


def main() -> None:
    """Take one step each way, and say what this process holds, and what the processes send."""
    dist.init_process_group("gloo")
    for way, make in WAYS.items():
        model = make()
        x, y = batch(way)
        loss = train_step(model, x, y)
        print(f"process {dist.get_rank()}, {way}: loss {loss:.4f} of {len(x)} rows")
        held = [tuple(local(weight).shape) for weight in model.parameters()]
        print("holds up {}, down {}".format(*held))
        print(collectives_in_torch(train_step, model, x, y))
    dist.destroy_process_group()


def local(tensor: Tensor) -> Tensor:
    """What this process holds of a tensor."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


if __name__ == "__main__":
    main()
