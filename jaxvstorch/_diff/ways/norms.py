"""Other norms, and other statistics."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from jaxvstorch._diff.ways.way import Arguments, Way, changed


def groups(function: Any, arguments: Arguments) -> Iterator[Way]:
    channels = int(arguments["C"])
    for group in range(1, channels + 1):
        if channels % group == 0 and group != arguments["group"]:
            yield changed(function, arguments, "group", group)


def norms(function: Any, arguments: Arguments) -> Iterator[Way]:
    """Other norms over the same axes, with the same weight and bias."""
    x, shape = arguments["input"], arguments["normalized_shape"]
    axes = tuple(range(-len(shape), 0))
    weight, bias, eps = arguments.get("weight"), arguments.get("bias"), arguments["eps"]

    def affine(y: torch.Tensor) -> torch.Tensor:
        y = y if weight is None else y * weight
        return y if bias is None else y + bias

    def centred() -> Any:
        return x - x.mean(axes, keepdim=True)

    def variance(correction: int = 0) -> Any:
        return x.var(axes, keepdim=True, correction=correction)

    yield Way("the mean subtracted", "the mean not subtracted (RMSNorm)", lambda: affine(
        x * torch.rsqrt(x.square().mean(axes, keepdim=True) + eps)))  # fmt: skip
    yield Way("the mean subtracted", "the mean not subtracted from what is divided",
              lambda: affine(x * torch.rsqrt(variance() + eps)))  # fmt: skip
    yield Way("the variance over n", "the variance over n - 1 (ddof=1)",
              lambda: affine(centred() * torch.rsqrt(variance(1) + eps)))  # fmt: skip
    yield Way("eps inside the root", "eps added to the deviation",
              lambda: affine(centred() / (variance().sqrt() + eps)))  # fmt: skip
    yield Way("division by the deviation", "division by the variance",
              lambda: affine(centred() / (variance() + eps)))  # fmt: skip


def running_statistics(function: Any, arguments: Arguments) -> Iterator[Way]:
    """Of a batch norm in training: another share of the batch, or another variance."""
    x, share = arguments["input"], float(arguments["momentum"])
    axes = [0, *range(2, x.ndim)]
    mean, over_less = x.mean(axes), x.var(axes)
    over_n = x.var(axes, correction=0)

    def moved(old: Any, new: torch.Tensor, share: float) -> Callable[[], torch.Tensor]:
        return lambda: (1 - share) * old + share * new

    for old, new in (
        (arguments["running_mean"], mean),
        (arguments["running_var"], over_less),
    ):
        for other in (0.1, 0.9, 0.01, 0.99, 0.001, 0.999):
            here, there = f"momentum={share:g}", f"momentum={other:g}"
            yield Way(here, there, moved(old, new, other))
    here, there = "the running variance over n - 1", "the running variance over n"
    old = arguments["running_var"]
    yield Way(here, there, moved(old, over_n, share))
    for other in (0.1, 0.9, 0.01, 0.99):
        yield Way(
            f"momentum={share:g} and {here}",
            f"momentum={other:g} and {there}",
            moved(old, over_n, other),
        )
    yield from batch_norms(function, arguments)


def batch_norms(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, eps = arguments["input"], arguments["eps"]
    mean: Any = arguments.get("running_mean")
    variance: Any = arguments.get("running_var")
    weight, bias = arguments.get("weight"), arguments.get("bias")
    shape = (1, -1, *[1] * (x.ndim - 2))

    def affine(y: torch.Tensor) -> torch.Tensor:
        y = y if weight is None else y * weight.view(shape)
        return y if bias is None else y + bias.view(shape)

    axes = [0, *range(2, x.ndim)]
    batch_mean, batch_variance = x.mean(axes), x.var(axes, correction=0)
    running = ("the statistics of the batch (training mode)", batch_mean, batch_variance)
    if mean is not None:
        here = "the running statistics"
        if arguments.get("training"):
            here, running = running[0], (here, mean, variance)
            batch_mean, batch_variance, mean, variance = mean, variance, batch_mean, batch_variance
        yield Way(here, running[0], lambda: affine(
            (x - running[1].view(shape)) * torch.rsqrt(running[2].view(shape) + eps)))  # fmt: skip
        yield Way("division by the deviation", "division by the variance", lambda: affine(
            (x - mean.view(shape)) / (variance.view(shape) + eps)))  # fmt: skip
        yield Way("the variance's root", "the variance taken for the deviation", lambda: affine(
            (x - mean.view(shape)) / variance.view(shape)))  # fmt: skip
