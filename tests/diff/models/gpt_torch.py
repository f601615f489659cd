"""A small GPT with rotary positions, grouped heads and tied embeddings."""

import numpy as np
import torch
import torch.nn.functional as F
from seeded import seeded
from torch import Tensor, nn


def rotate(x: Tensor, base: float = 10000.0) -> Tensor:
    """Turn the two halves of each head by angles that grow with the position."""
    length, size = x.shape[-2:]
    frequencies = base ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(length)[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class Attention(nn.Module):
    """Causal attention; several query heads share one key and value head."""

    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, groups * self.size)
        self.value = nn.Linear(width, groups * self.size)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return what each position of (batch, time, width) sees of those before it."""
        b, t, width = x.shape
        q = self.query(x).view(b, t, self.heads, self.size).transpose(1, 2)
        k = self.key(x).view(b, t, self.groups, self.size).transpose(1, 2)
        v = self.value(x).view(b, t, self.groups, self.size).transpose(1, 2)
        q, k = rotate(q), rotate(k)
        k, v = (a.repeat_interleave(self.heads // self.groups, dim=1) for a in (k, v))
        scores = q @ k.transpose(-2, -1) / self.size**0.5
        future = torch.ones(t, t, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        y = weights @ v
        return self.out(y.transpose(1, 2).reshape(b, t, width))


class Block(nn.Module):
    """Attention and a perceptron, each after a norm and beside a residual."""

    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads, groups)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return (batch, time, width)."""
        x = x + self.attention(self.norm1(x))
        h = F.gelu(self.up(self.norm2(x)))
        return x + self.down(h)


class GPT(nn.Module):
    """Tokens to scores of the next token."""

    def __init__(self, vocabulary: int = 50, width: int = 32, layers: int = 3) -> None:
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        nn.init.normal_(self.token.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, heads=4, groups=2) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return (batch, time, vocabulary)."""
        x = self.token(tokens)
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.token.weight.T


def make() -> nn.Module:
    """Return the model with seeded weights."""
    return seeded(GPT)


def inputs() -> tuple[np.ndarray, ...]:
    """Return two sequences of twelve tokens."""
    return (np.random.default_rng(0).integers(0, 50, (2, 12), dtype=np.int32),)
