"""A convolutional VAE, with the noise as an input and its loss as an output."""

import numpy as np
import torch
import torch.nn.functional as F
from seeded import seeded
from torch import Tensor, nn


class VAE(nn.Module):
    """Images of 16 by 16 pixels through six latent numbers."""

    def __init__(self, latent: int = 6) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 2, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, 2, padding=1)
        self.stats = nn.Linear(16 * 4 * 4, 2 * latent)
        self.dense = nn.Linear(latent, 16 * 4 * 4)
        self.up1 = nn.ConvTranspose2d(16, 8, 4, 2, padding=1)
        self.up2 = nn.ConvTranspose2d(8, 1, 4, 2, padding=1)

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean and the logarithm of the variance, (batch, latent) each."""
        h = F.elu(self.conv1(x))
        h = F.elu(self.conv2(h))
        mean, logvar = self.stats(h.flatten(1)).chunk(2, dim=-1)
        return mean, logvar

    def decode(self, z: Tensor) -> Tensor:
        """Return (batch, 1, 16, 16)."""
        h = F.elu(self.dense(z))
        h = h.view(-1, 16, 4, 4)
        h = F.elu(self.up1(h))
        return torch.sigmoid(self.up2(h))

    def forward(self, x: Tensor, noise: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the reconstruction, the mean, the logarithm of the variance, and the loss."""
        mean, logvar = self.encode(x)
        z = mean + torch.exp(0.5 * logvar) * noise
        y = self.decode(z)
        likelihood = F.binary_cross_entropy(y, x, reduction="sum") / len(x)
        divergence = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum(-1).mean()
        return y, mean, logvar, likelihood + divergence


def make() -> nn.Module:
    """Return the model with seeded weights."""
    return seeded(VAE)


def inputs() -> tuple[np.ndarray, ...]:
    """Return four images and their noise."""
    rng = np.random.default_rng(0)
    x, noise = rng.uniform(size=(4, 1, 16, 16)), rng.normal(size=(4, 6))
    return x.astype(np.float32), noise.astype(np.float32)
