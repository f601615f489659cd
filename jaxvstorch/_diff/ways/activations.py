"""Other functions of each number."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F

from jaxvstorch._diff.ways.way import Arguments, Way

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "no activation": lambda x: x,
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu by a sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softplus": F.softplus,
    "elu": F.elu,
    "leaky_relu": F.leaky_relu,
    "mish": F.mish,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "relu6": F.relu6,
    "selu": F.selu,
    "softsign": F.softsign,
    "log_sigmoid": F.logsigmoid,
    "exp": torch.exp,
    "exp(x / 2)": lambda x: torch.exp(x / 2),
    "exp(2 x)": lambda x: torch.exp(2 * x),
    "square": torch.square,
    "sqrt": torch.sqrt,
    "abs": torch.abs,
    "sin": torch.sin,
    "cos": torch.cos,
}  # fmt: skip
# Those that are their argument times another function of it.
GATED = ("gelu", "gelu by tanh", "gelu by a sigmoid", "silu", "mish", "hardswish")


_UNARY = {
    "abs", "cos", "elu", "exp", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid_forward", "mish", "relu", "rsqrt", "sigmoid", "silu", "sin", "softplus", "sqrt",
    "tanh",
}  # fmt: skip


def activations(name: str, arguments: Arguments) -> Iterator[Way]:
    """Another function in place of one of each number."""
    x = arguments.get("self")
    if name in _UNARY and isinstance(x, torch.Tensor):
        for other, compute in ACTIVATIONS.items():
            if other != name:
                yield Way(name, other, lambda x=x, f=compute: f(x))
