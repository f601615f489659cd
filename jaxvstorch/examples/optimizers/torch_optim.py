"""What a training program needs from an optimizer, with ``torch.optim``."""

from collections.abc import Callable
from typing import Any

import torch
from torch import optim
from torch.nn import Parameter
from torch.optim import lr_scheduler

Tree = dict[str, Any]  # of arrays, by their names
Make = Callable[[list[Parameter]], optim.Optimizer]


def after(make: Make, parameters: Tree, gradients: Tree) -> Tree:
    """The parameters after a step with each of the gradients, which are stacked."""
    own = {name: Parameter(torch.tensor(value)) for name, value in parameters.items()}
    optimizer = make(list(own.values()))
    for i in range(len(next(iter(gradients.values())))):
        for name, parameter in own.items():
            parameter.grad = torch.tensor(gradients[name][i])
        optimizer.step()
    return {name: parameter.numpy(force=True) for name, parameter in own.items()}


def matrices_and_vectors(parameters: list[Parameter]) -> tuple[list[Parameter], list[Parameter]]:
    """Split them by whether weight decay applies to them."""
    matrices = [parameter for parameter in parameters if parameter.ndim > 1]
    return matrices, [parameter for parameter in parameters if parameter.ndim <= 1]


def decay_matrices(parameters: list[Parameter], rate: float, decay: float) -> optim.AdamW:
    """AdamW that decays matrices, but not biases and scales."""
    matrices, vectors = matrices_and_vectors(parameters)
    groups: list[dict[str, Any]] = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
    return optim.AdamW(groups, lr=rate, weight_decay=decay)


def two_rates(parameters: list[Parameter], rate: float, of_vectors: float) -> optim.SGD:
    """Matrices and vectors with separate learning rates."""
    matrices, vectors = matrices_and_vectors(parameters)
    groups: list[dict[str, Any]] = [{"params": matrices}, {"params": vectors, "lr": of_vectors}]
    return optim.SGD(groups, lr=rate, momentum=0.9)


def warmup_cosine(optimizer: optim.Optimizer, warmup: int, steps: int) -> lr_scheduler.SequentialLR:
    """A straight line from a tenth of the learning rate, then half a cosine to another tenth."""
    peak = optimizer.param_groups[0]["lr"]
    line = lr_scheduler.LinearLR(optimizer, start_factor=0.1, total_iters=warmup)
    cosine = lr_scheduler.CosineAnnealingLR(optimizer, steps - warmup, eta_min=peak / 10)
    return lr_scheduler.SequentialLR(optimizer, [line, cosine], milestones=[warmup])


def clipped_step(optimizer: optim.Optimizer, parameters: list[Parameter], largest: float) -> None:
    """Clip all gradients together, in place, then step."""
    torch.nn.utils.clip_grad_norm_(parameters, largest)
    optimizer.step()


def accumulated_step(optimizer: optim.Optimizer, losses: list[Callable[[], torch.Tensor]]) -> None:
    """Step once, with the mean of the losses' gradients."""
    optimizer.zero_grad()
    for loss in losses:
        torch.autograd.backward(loss() / len(losses))
    optimizer.step()
