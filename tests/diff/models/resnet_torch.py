"""A small ResNet of the second version: norm and activation stand before each convolution."""

import numpy as np
import torch.nn.functional as F
from seeded import seeded
from torch import Tensor, nn


class Block(nn.Module):
    """Two convolutions beside a shortcut, which is a convolution where the shape changes."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False) if stride > 1 else None

    def forward(self, x: Tensor) -> Tensor:
        """Return (batch, outputs, height / stride, width / stride)."""
        h = F.relu(self.norm1(x))
        shortcut = x if self.shortcut is None else self.shortcut(h)
        h = self.conv1(h)
        h = F.relu(self.norm2(h))
        h = self.conv2(h)
        return shortcut + h


class ResNet(nn.Module):
    """Images to the scores of ten classes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 7, 2, padding=3, bias=False)
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        self.blocks = nn.ModuleList([Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1)])
        self.norm = nn.BatchNorm2d(16)
        self.head = nn.Linear(16 * 2 * 2, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Return (batch, 10) of images (batch, 3, 32, 32)."""
        x = self.conv(x)
        x = self.pool(x)
        for block in self.blocks:
            x = block(x)
        x = F.relu(self.norm(x))
        x = F.avg_pool2d(x, 3, 2, padding=1)
        return self.head(x.flatten(1))


def make() -> nn.Module:
    """Return the model with seeded weights."""
    return seeded(ResNet)


def inputs() -> tuple[np.ndarray, ...]:
    """Return three images, channels first."""
    return (np.random.default_rng(0).normal(size=(3, 3, 32, 32)).astype(np.float32),)
