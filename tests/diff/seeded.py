"""PyTorch models with weights and statistics from a seed."""

from collections.abc import Callable

import torch
from torch import nn


def seeded(kind: Callable[[], nn.Module]) -> nn.Module:
    """Return a model in eval mode, with no weight and no statistic at its trivial start."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        model = kind().eval()
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0.0, 0.3)
                module.running_var.uniform_(0.5, 1.5)
    return model
