"""A small U-Net: group norm, SiLU, two levels down and up."""

import numpy as np
import torch
import torch.nn.functional as F
from seeded import seeded
from torch import Tensor, nn


class Block(nn.Module):
    """Twice a norm, an activation and a convolution, beside a shortcut."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(4, inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm2 = nn.GroupNorm(4, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.shortcut = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return (batch, outputs, height, width)."""
        h = self.conv1(F.silu(self.norm1(x)))
        h = self.conv2(F.silu(self.norm2(h)))
        return h + self.shortcut(x)


class UNet(nn.Module):
    """Images to images."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.block1 = Block(8, 8)
        self.down1 = nn.Conv2d(8, 16, 3, 2, padding=1)
        self.block2 = Block(16, 16)
        self.down2 = nn.Conv2d(16, 24, 3, 2, padding=1)
        self.middle = Block(24, 24)
        self.block3 = Block(24 + 16, 16)
        self.block4 = Block(16 + 8, 8)
        self.norm = nn.GroupNorm(4, 8)
        self.head = nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return (batch, 3, 16, 16) of as much."""
        x = self.stem(x)
        a = self.block1(x)
        b = self.block2(self.down1(a))
        h = self.middle(self.down2(b))
        h = F.interpolate(h, scale_factor=2, mode="nearest")
        h = self.block3(torch.cat([h, b], dim=1))
        h = F.interpolate(h, scale_factor=2, mode="bilinear")
        h = self.block4(torch.cat([h, a], dim=1))
        h = F.silu(self.norm(h))
        return self.head(h)


def make() -> nn.Module:
    """Return the model with seeded weights."""
    return seeded(UNet)


def inputs() -> tuple[np.ndarray, ...]:
    """Return two images, channels first."""
    return (np.random.default_rng(0).normal(size=(2, 3, 16, 16)).astype(np.float32),)
