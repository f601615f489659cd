"""The size of a GPT, and what follows from it: parameters, operations, first weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Params = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Config:
    """The size of a GPT.

    Attributes:
        layers: blocks, one after another.
        heads: of attention, in each block.
        width: numbers that stand for one token; a multiple of ``heads``.
        context: the most tokens that it takes at once.
        vocabulary: how many tokens there are.
    """

    layers: int
    heads: int
    width: int
    context: int
    vocabulary: int

    @property
    def shapes(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Of all weights. What belongs to a block has the blocks as its first axis."""
        n, w, heads, d = self.layers, self.width, self.heads, self.width // self.heads
        return {
            "blocks": {
                "attention_norm": (n, w),
                "down": (n, 4 * w, w),
                "mlp_norm": (n, w),
                "out": (n, heads, d, w),
                "qkv": (n, w, 3, heads, d),
                "up": (n, w, 4 * w),
            },
            "embedding": {"positions": (self.context, w), "tokens": (self.vocabulary, w)},
            "final": {"norm": (w,)},
        }

    @property
    def parameters(self) -> int:
        """How many parameters there are; the logits use the embedding of the tokens."""
        groups = self.shapes.values()
        return sum(int(np.prod(shape)) for group in groups for shape in group.values())

    def init(self, rng: np.random.Generator, dtype: Any = np.float32) -> Params:
        """First weights: normal, divided by the root of how many numbers a sum has; norms are 1."""
        return {
            name: {key: _first(key, shape, rng, dtype) for key, shape in group.items()}
            for name, group in self.shapes.items()
        }

    def forward_operations(self, batch: int, time: int) -> int:
        """Floating-point operations of the logits of a batch: those of its matrix products.

        A product of (m, k) and (k, n) takes 2mkn. Each token takes 12 ``width``² products in a
        block, and each pair of tokens 2 ``width``: all pairs count, also those that the mask
        hides. Norms, GELU and softmax do not count.
        """
        tokens, w = batch * time, self.width
        block = 12 * w * w + 2 * time * w
        return 2 * tokens * (self.layers * block + w * self.vocabulary)

    def step_operations(self, batch: int, time: int) -> int:
        """Of a training step: the backward pass has two products for each one of the forward pass.

        The optimizer's operations, some ten for each parameter, do not count.
        """
        return 3 * self.forward_operations(batch, time)


def _first(name: str, shape: tuple[int, ...], rng: np.random.Generator, dtype: Any) -> Any:
    if name.endswith("norm"):
        return np.ones(shape, dtype)
    summed = {"down": shape[-2], "out": shape[-1]}.get(name, shape[1])
    return (rng.standard_normal(shape) / summed**0.5).astype(dtype)
