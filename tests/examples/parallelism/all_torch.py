"""What several processes of PyTorch compute: each writes it to a file, for a test to compare."""

import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.tensor import DTensor, Shard, distribute_tensor, init_device_mesh

from jaxvstorch.examples.parallelism.collectives import collectives_in_torch
from jaxvstorch.examples.parallelism.processes import share, torch_module, torch_step

# With a mean in them.
LOSSES = {
    "mse_loss": F.mse_loss,
    "huber_loss": F.huber_loss,
    "smooth_l1_loss": F.smooth_l1_loss,
    "soft_margin_loss": F.soft_margin_loss,
    "binary_cross_entropy": lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
    "summed": lambda x, y: F.mse_loss(x, y, reduction="sum") / 8,
    "l1_loss": F.l1_loss,
    "binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits,
    "cross_entropy": lambda x, y: F.cross_entropy(
        torch.stack([x, -2 * x], 1), torch.stack([y.sigmoid(), (-y).sigmoid()], 1)
    ),
    "by_hand": lambda x, y: torch.mean((x - y) ** 2),
}


def main() -> None:
    folder = sys.argv[-1]
    dist.init_process_group("gloo")
    found = {}
    for way, placements in {"data": torch_step.DATA, "tensor": torch_step.TENSOR}.items():
        tensors = torch_step.global_tensors(placements)
        found[f"{way}.held"] = [tuple(tensor.to_local().shape) for tensor in tensors]
        found[f"{way}.step"] = torch_step.train_step(tensors)
        found[f"{way}.sent"] = collectives_in_torch(torch_step.train_step, tensors)
    for way, make in torch_module.WAYS.items():
        model = make()
        x, y = torch_module.batch(way)
        found[f"{way}.held"] = [tuple(torch_module.local(p).shape) for p in model.parameters()]
        losses = []
        found[f"{way}.sent"] = collectives_in_torch(
            lambda *args: losses.append(torch_module.train_step(*args)),  # noqa: B023
            model,
            x,
            y,
        )
        found[f"{way}.loss"] = losses
        found[f"{way}.weights"] = model.parameters()
        found[f"{way}.slopes"] = [weight.grad for weight in model.parameters()]
    found["uneven"] = uneven_slopes()
    found |= {f"{name}.slopes": sloped(name) for name in LOSSES}
    found["began"] = [began()]
    found["unequal"] = unequal_loss()
    found["bucketed"] = bucketed()
    found["unwrapped"] = unwrapped()
    flat = {
        f"{name}.{place}": whole(value)
        for name, values in found.items()
        for place, value in enumerate(values)
    }
    np.savez(Path(folder) / f"{dist.get_rank()}.npz", **flat)
    dist.destroy_process_group()


def uneven_slopes():
    """DDP's gradients where process 0 has a row more than most, and the last one a row less."""
    process, processes = dist.get_rank(), dist.get_world_size()
    counts = [8 // processes + (p == 0) - (p == processes - 1) for p in range(processes)]
    first = sum(counts[:process])
    rows = slice(first, first + counts[process])
    model = torch_module.data_parallel()
    torch_module.train_step(model, *(torch.from_numpy(a[rows]) for a in share.training()[2:]))
    return [weight.grad for weight in model.parameters()]


def sloped(name):
    """The gradient of a loss by a row of eight numbers, cut, and as one process computes it."""
    x, y = torch.linspace(-2, 2, 8), torch.linspace(1, -3, 8)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    slopes = []
    for cut in (True, False):
        leaf, target = (distribute_tensor(t, mesh, [Shard(0)]) if cut else t for t in (x, y))
        leaf = leaf.detach().requires_grad_()
        (slope,) = torch.autograd.grad(LOSSES[name](leaf, target), leaf)
        slopes.append(slope)
    return slopes


def unequal_loss():
    """The loss of seven numbers, which no number of processes cuts equally; whole; and by hand."""
    x, y = torch.linspace(-2, 2, 7), torch.linspace(1, -3, 7)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    cut = [distribute_tensor(t, mesh, [Shard(0)]) for t in (x, y)]
    return F.mse_loss(*cut), F.mse_loss(x, y), LOSSES["by_hand"](*cut)


def bucketed():
    """What DDP sends in two steps, where a bucket's limit is a quarter of a weight."""
    layers = [torch.nn.Linear(32, 32, bias=False) for _ in range(2)]
    model = torch.nn.Sequential(*layers)
    model = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=1 / 1024)
    step = lambda: model(torch.ones(2, 32)).sum().backward()  # noqa: E731
    return [sent for _ in range(2) for sent in collectives_in_torch(step)]


def unwrapped():
    """What FSDP2 sends where only the whole module has been given to it."""
    model = torch_module.fully_shard(torch_module.Mlp())
    return collectives_in_torch(torch_module.train_step, model, *torch_module.batch("FSDP2"))


def began():
    """A weight of DDP's module that was another one in each process."""
    linear = torch.nn.Linear(1, 1)
    torch.nn.init.constant_(linear.weight, dist.get_rank() + 7.0)
    return torch.nn.parallel.DistributedDataParallel(linear).module.weight


def whole(value):
    if isinstance(value, DTensor):
        value = value.full_tensor()
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


if __name__ == "__main__":
    main()
