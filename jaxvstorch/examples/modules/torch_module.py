"""The network as a ``torch.nn.Module``, with its weights in and out."""

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jaxvstorch.examples.modules import weights as carried
from jaxvstorch.examples.modules.weights import CHANNELS, CLASSES, FILTERS, HIDDEN, RATE, SIDE


class Network(nn.Module):
    """Images with their channels first, to scores. Each layer has the defaults of PyTorch."""

    def __init__(self, rate: float = RATE) -> None:
        super().__init__()
        self.conv = nn.Conv2d(CHANNELS, FILTERS, 3, padding="same")
        self.norm = nn.BatchNorm2d(FILTERS)
        self.dense = nn.Linear(FILTERS * SIDE * SIDE, HIDDEN)
        self.layer_norm = nn.LayerNorm(HIDDEN)
        self.dropout = nn.Dropout(rate)
        self.head = nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        """Score a batch of images."""
        h = self.norm(self.conv(x))
        h = F.gelu(self.layer_norm(self.dense(h.flatten(1))))
        return self.head(self.dropout(h))


def load(model: nn.Module, weights: Mapping[str, Any]) -> None:
    """Copy weights and running statistics into a network.

    Raises:
        WeightsError: names or shapes differ; nothing is copied then.
    """
    carried.check(weights)
    state = {name: torch.as_tensor(array) for name, array in weights.items()}
    # Not strict: "norm.num_batches_tracked" stays as it is; only momentum=None reads it.
    model.load_state_dict(state, strict=False)


def weights_of(model: nn.Module) -> carried.Weights:
    """Copy weights and running statistics out of a network."""
    state = model.state_dict()
    return {name: state[name].cpu().numpy().copy() for name in carried.SHAPES}


def gradients_of(model: nn.Module) -> carried.Weights:
    """Copy out the gradients that ``backward`` stored."""
    found = {name: p.grad for name, p in model.named_parameters()}
    return {name: grad.cpu().numpy().copy() for name, grad in found.items() if grad is not None}
