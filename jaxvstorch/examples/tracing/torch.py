"""Tracing in PyTorch."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch._higher_order_ops import print as graph_print


def sin_cos(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Three operations: the smallest function with something to fuse."""
    return torch.sin(x) + torch.cos(x)


def polynomial_sum(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """Element-wise arithmetic, then a sum."""
    return torch.sum(x**2 - x**3 - x)


def matmul(a: Float[Tensor, "n n"], b: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    """One product of square matrices, which no compiler can simplify."""
    return a @ b


def three_ratios(x: Float[Tensor, " n"], y: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Divide three times where once would do: which compiler removes the repetition?"""
    return x / y + x / y + x / y


def print_in_python(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Print when Python runs this line: in each call, because the graph breaks here."""
    y = torch.sin(x)
    print("y =", y)
    return y + 1


def print_in_program(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Print when the compiled graph gets here: in each call, without a graph break."""
    y = torch.sin(x)
    graph_print("y = {y}", y=y)
    return y + 1


def affine(
    x: Float[Tensor, " n"], factor: float, offset: Float[Tensor, " n"] | None, squared: bool
) -> Float[Tensor, " n"]:
    """Compute ``factor * x + offset``, perhaps without an offset, perhaps squared."""
    y = factor * x
    if offset is not None:
        y = y + offset
    return y * y if squared else y


def layer(x: Float[Tensor, " n"], weights: Float[Tensor, "n n"]) -> Float[Tensor, " n"]:
    """Four operations that a larger function repeats."""
    return x + torch.tanh(weights @ torch.sin(x))


@torch.compiler.nested_compile_region
def nested_layer(x: Float[Tensor, " n"], weights: Float[Tensor, "n n"]) -> Float[Tensor, " n"]:
    """The same as a region: inside ``torch.compile`` it becomes one graph that is shared."""
    return layer(x, weights)


def layers(
    x: Float[Tensor, " n"], weights: Float[Tensor, "n n"], num_layers: int
) -> Float[Tensor, " n"]:
    """Apply the layer ``num_layers`` times, tracing it each time."""
    for _ in range(num_layers):
        x = layer(x, weights)
    return x


def nested_layers(
    x: Float[Tensor, " n"], weights: Float[Tensor, "n n"], num_layers: int
) -> Float[Tensor, " n"]:
    """Apply the layer ``num_layers`` times; its graph is made once."""
    for _ in range(num_layers):
        x = nested_layer(x, weights)
    return x
