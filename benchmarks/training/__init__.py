"""The training steps that are timed: of the GPT, and of the classifier of digits.

Both frameworks begin with the same weights and see the same batch. AdamW changes the weights.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxvstorch.examples.training.config import Config

RATE, WEIGHT_DECAY = 1e-4, 1e-2  # of the GPT; the classifier has its own rate, and this decay
# A processor takes some tens of milliseconds for a step of it.
GPT = Config(layers=4, heads=4, width=128, context=64, vocabulary=64)
TOPICS = {"gpt_step": "training", "classifier_step": "porting"}


class Step(NamedTuple):
    """A step with its model and optimizer.

    Attributes:
        call: changes the model by one batch, and returns the loss before.
        memory: finds the bytes that it needs at once for such a batch, the model among them.
    """

    call: Callable[..., Any]
    memory: Callable[..., int]


def batch(name: str, examples: int, framework: str) -> tuple[Any, Any]:
    """Inputs and targets of a step, as NumPy arrays; PyTorch's loss wants targets in 64 bits."""
    rng, dtype = np.random.default_rng(0), np.int32 if framework == "jax" else np.int64
    if name == "gpt_step":
        tokens = rng.integers(GPT.vocabulary, size=(examples, GPT.context + 1)).astype(dtype)
        return tokens[:, :-1].copy(), tokens[:, 1:].copy()
    images = rng.random((examples, 8, 8), dtype=np.float32)
    return images, rng.integers(10, size=examples).astype(dtype)


def operations(name: str, examples: int) -> int:
    """Floating-point operations of a step's products and convolutions, those of the gradients too.

    Each product of the forward pass has two of its size in the backward pass, one for the gradient
    of each operand. The images need no gradient, so the convolution has one.
    """
    if name == "gpt_step":
        return GPT.step_operations(examples, GPT.context)
    convolution, hidden, output = 16 * 8 * 9, 128 * 32, 32 * 10
    return 2 * examples * (2 * convolution + 3 * hidden + 3 * output)
