"""Methods, and ways out of a compiled program, in PyTorch."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

# A table: what is read, and what it means.
KNOTS = (-2.0, -1.0, 0.0, 1.0, 2.0)
VALUES = (-1.5, -1.0, 0.0, 0.4, 2.0)
SLOPES = (0.0, 0.5, 1.0, 0.4, 1.6, 0.0)  # none outside


class Scaler:
    """Scales by an attribute that may change."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def apply(self, x: Tensor) -> Tensor:
        """``x`` scaled."""
        return self.scale * x


def scale_by_attribute(x: Float[Tensor, " n"], scale: float) -> Float[Tensor, " n"]:
    """Call a method that reads an attribute."""
    return Scaler(scale).apply(x)


@dataclass(frozen=True)
class FrozenScaler:
    """Cannot change; nothing hashes it, its field is guarded."""

    scale: float

    def apply(self, x: Tensor) -> Tensor:
        """``x`` scaled."""
        return self.scale * x


def scale_by_hash(x: Float[Tensor, " n"], scale: float) -> Float[Tensor, " n"]:
    """Call a method of an object that cannot change."""
    return FrozenScaler(scale).apply(x)


class ArgumentScaler:
    """Its attribute is a tensor, and so an input of the graph."""

    def __init__(self, scale: Tensor) -> None:
        self.scale = scale

    def apply(self, x: Tensor) -> Tensor:
        """``x`` scaled."""
        return self.scale * x


def scale_by_argument(x: Float[Tensor, " n"], scale: Float[Tensor, ""]) -> Float[Tensor, " n"]:
    """Call a method whose attribute is a tensor: one program for all scales."""
    return ArgumentScaler(scale).apply(x)


@dataclass
class Affine:
    """Holds tensors; they become inputs of the graph."""

    weight: Tensor
    bias: Tensor

    def apply(self, x: Tensor) -> Tensor:
        """A batch, transformed."""
        return x @ self.weight + self.bias


def affine(
    x: Float[Tensor, "batch n"], weight: Float[Tensor, "n m"], bias: Float[Tensor, " m"]
) -> Float[Tensor, "batch m"]:
    """Call a method of an object that holds tensors."""
    return Affine(weight, bias).apply(x)


@dataclass
class Mean:
    """A mean of the numbers so far; ``add`` changes it."""

    total: Tensor
    count: Tensor

    def add(self, x: Tensor) -> None:
        """Take ``x`` in."""
        self.total = self.total + x.sum()
        self.count = self.count + x.numel()


def mean_so_far(
    x: Float[Tensor, " n"], total: Float[Tensor, ""], count: Int[Tensor, ""]
) -> tuple[Float[Tensor, ""], Float[Tensor, ""], Int[Tensor, ""]]:
    """Add numbers to a mean; return the mean and its new state."""
    mean = Mean(total, count)
    mean.add(x)
    return mean.total / mean.count, mean.total, mean.count


def _interpolate(x: Tensor) -> Tensor:
    knots, values = x.new_tensor(KNOTS), x.new_tensor(VALUES)
    right = torch.searchsorted(knots, x, right=True).clamp(1, len(KNOTS) - 1)
    left = right - 1
    part = (x - knots[left]) / (knots[right] - knots[left])
    return torch.lerp(values[left], values[right], part.clamp(0, 1))


def calibrated(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Look the readings up in a table, with PyTorch's own functions."""
    return torch.sin(_interpolate(2 * x))


def _look_up(x: Tensor) -> Tensor:
    return torch.as_tensor(np.interp(x.numpy(force=True), KNOTS, VALUES)).to(x)


@torch.library.custom_op("jaxvstorch_methods::table", mutates_args=())
def _table(x: Tensor) -> Tensor:
    return _look_up(x)


@_table.register_fake
def _table_fake(x: Tensor) -> Tensor:
    return torch.empty_like(x)


def calibrated_host(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Look the readings up with NumPy, in a custom operator; there is no derivative."""
    return torch.sin(_table(2 * x))


@torch.library.custom_op("jaxvstorch_methods::curve", mutates_args=())
def _curve(x: Tensor) -> Tensor:
    return _look_up(x)


@_curve.register_fake
def _curve_fake(x: Tensor) -> Tensor:
    return torch.empty_like(x)


def _curve_setup(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _curve_backward(ctx: Any, gradient: Tensor) -> Tensor:
    (x,) = ctx.saved_tensors
    cell = torch.searchsorted(x.new_tensor(KNOTS), x, right=True)
    return x.new_tensor(SLOPES)[cell] * gradient


_curve.register_autograd(_curve_backward, setup_context=_curve_setup)


def calibrated_host_slope(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Look the readings up with NumPy, and differentiate by a custom rule."""
    return torch.sin(_curve(2 * x))


_look_up_eagerly = torch.compiler.disable(_look_up, reason="NumPy looks it up")


def calibrated_between(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Two graphs, with NumPy between them."""
    return torch.sin(_look_up_eagerly(2 * x))


# The sums that were recorded, the last hundred of them.
sums: deque[float] = deque(maxlen=100)


@torch.library.custom_op("jaxvstorch_methods::record", mutates_args=())
def _record(total: Tensor) -> None:
    sums.append(float(total))


@_record.register_fake
def _record_fake(total: Tensor) -> None:
    return None


# Without it the compiler would drop an operator whose result nothing uses.
_record.register_effect(torch.library.EffectType.ORDERED)


def recorded(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Half of ``x``; records its sum outside, in the order of the calls."""
    _record(x.sum())
    return x / 2


def _block(x: Tensor, weight: Tensor) -> Tensor:
    return x + torch.tanh(x @ weight)


def blocks(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "depth n n"]
) -> Float[Tensor, "batch n"]:
    """Blocks in a Python loop: each of them is in the graph."""
    for weight in weights:
        x = _block(x, weight)
    return x


_region = torch.compiler.nested_compile_region(_block)


def blocks_once(
    x: Float[Tensor, "batch n"], weights: Float[Tensor, "depth n n"]
) -> Float[Tensor, "batch n"]:
    """Blocks as a region: the graph holds one, and calls it."""
    for weight in weights:
        x = _region(x, weight)
    return x
