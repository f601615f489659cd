"""The same GPT as a module of PyTorch, and its training step."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jaxvstorch.examples.training.config import Config


class Block(nn.Module):
    """Attention and a perceptron, each after a norm and added to its input."""

    def __init__(self, config: Config) -> None:
        """Make the weights; no layer has a bias."""
        super().__init__()
        width, self.heads = config.width, config.heads
        self.attention_norm = nn.LayerNorm(width, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.mlp_norm = nn.LayerNorm(width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, time, width) for (batch, time, width)."""
        qkv = self.qkv(self.attention_norm(x)).unflatten(-1, (3, self.heads, -1))
        q, k, v = (part.transpose(1, 2) for part in qkv.unbind(2))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


class GPT(nn.Module):
    """The scores of the next token at each position; they use the embedding of the tokens."""

    def __init__(self, config: Config) -> None:
        """Make the weights."""
        super().__init__()
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, time, vocabulary) for (batch, time)."""
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)


def loss(model: nn.Module, tokens: Tensor, targets: Tensor) -> Tensor:
    """The mean cross-entropy over all tokens."""
    return F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())


def adamw(model: nn.Module, rate: float, weight_decay: float) -> torch.optim.Optimizer:
    """AdamW with the constants of ``jax_optax.py``."""
    return torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=weight_decay)


def train_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, tokens: Tensor, targets: Tensor
) -> Tensor:
    """One step; compile the model, or this function."""
    optimizer.zero_grad()
    value = loss(model, tokens, targets)
    value.backward()
    optimizer.step()
    return value.detach()
