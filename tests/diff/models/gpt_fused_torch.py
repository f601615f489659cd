"""The GPT with one product for queries, keys and values, and PyTorch's own attention."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class GPT(nn.Module):
    """The same scores, from another model's layers."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        layers = [(x.attention.query, x.attention.key, x.attention.value) for x in model.blocks]
        stack = [torch.cat([layer.weight for layer in three]) for three in layers]
        self.weights = nn.ParameterList(weight.detach() for weight in stack)
        stack = [torch.cat([layer.bias for layer in three]) for three in layers]
        self.biases = nn.ParameterList(bias.detach() for bias in stack)
        size = model.blocks[0].attention.size
        angles = torch.outer(torch.arange(64), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))

    def rotate(self, x: Tensor) -> Tensor:
        """Turn the halves of (batch, heads, time, size) as complex numbers."""
        halves = torch.complex(*x.chunk(2, dim=-1))
        turned = halves * self.turns[: x.shape[2]]
        return torch.cat([turned.real, turned.imag], dim=-1)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return (batch, time, vocabulary)."""
        x = F.embedding(tokens, self.model.token.weight)
        for block, weight, bias in zip(self.model.blocks, self.weights, self.biases, strict=True):
            part = block.attention
            qkv = F.linear(block.norm1(x), weight, bias).unflatten(-1, (-1, part.size))
            q, k, v = qkv.transpose(1, 2).split([part.heads, part.groups, part.groups], dim=1)
            q, k = self.rotate(q), self.rotate(k)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + part.out(y.transpose(1, 2).flatten(2))
            x = x + block.down(F.gelu(block.up(block.norm2(x))))
        return F.linear(self.model.norm(x), self.model.token.weight)


def make(model: nn.Module) -> nn.Module:
    """Return a model that shares another's weights."""
    return GPT(model).eval()
