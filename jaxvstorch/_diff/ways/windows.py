"""Convolutions, pools and resized images."""

from collections.abc import Iterator
from typing import Any

import torch.nn.functional as F

from jaxvstorch._diff.ways.way import Arguments, Way, text_of


def kernels(function: Any, arguments: Arguments) -> Iterator[Way]:
    """A convolution with its kernel turned, or with other padding."""
    weight, x = arguments["weight"], arguments["input"]
    spatial = list(range(2, weight.ndim))
    turned = {
        "the kernel's spatial axes reversed": lambda: weight.flip(spatial),
    }
    if len(spatial) == 2 and weight.shape[2] == weight.shape[3]:
        turned["the kernel's height and width swapped"] = lambda: weight.transpose(2, 3)
        turned["height and width swapped, both reversed"] = lambda: weight.transpose(2, 3).flip(
            spatial
        )
    if weight.shape[0] == weight.shape[1]:
        turned["the kernel's input and output channels swapped"] = lambda: weight.transpose(0, 1)
        turned["the kernel's channels swapped and its spatial axes reversed"] = lambda: (
            weight.transpose(0, 1).flip(spatial)
        )
    for text, kernel in turned.items():
        yield Way(
            "the kernel as it is",
            text,
            lambda kernel=kernel: function(**{**arguments, "weight": kernel()}),
        )
    if arguments.get("transposed"):
        return
    for low, high in _paddings(arguments["padding"]):
        yield Way(
            f"padding={text_of(list(arguments['padding']))}",
            f"padding {low} before and {high} after (as padding='SAME' has)",
            lambda low=low, high=high: function(
                **{
                    **arguments,
                    "input": F.pad(x, (low, high) * len(spatial)),
                    "padding": [0] * len(spatial),
                }
            ),
        )


def _paddings(padding: Any) -> Iterator[tuple[int, int]]:
    most = 2 * max([*padding, 1])
    for low in range(most + 1):
        for high in range(most + 1):
            if low != high:
                yield low, high
    for both in range(most + 1):
        if [both] * len(padding) != list(padding):
            yield both, both


def pools(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, padding = arguments["self"], arguments.get("padding") or [0, 0]
    spatial = len(arguments["kernel_size"])
    for fill, what in ((0.0, "by 0"), (float("-inf"), "by -inf")):
        for low, high in [*_paddings(padding), (max(padding), max(padding))]:
            yield Way(
                f"padding={text_of(list(padding))}",
                f"padding {what}: {low} before and {high} after",
                lambda fill=fill, low=low, high=high: function(
                    **{
                        **arguments,
                        "self": F.pad(x, (low, high) * spatial, value=fill),
                        "padding": [0] * spatial,
                    }
                ),
            )
    size = {
        "kernel_size": arguments["kernel_size"],
        "stride": arguments.get("stride"),
        "padding": padding,
    }
    is_max = "max" in function._overloadpacket.__name__
    other = (F.avg_pool2d if is_max else F.max_pool2d) if spatial == 2 else None
    if other is not None:
        here, there = ("maximum", "mean") if is_max else ("mean", "maximum")
        yield Way(f"the {here}", f"the {there}", lambda: other(x, **size))


def resizes(function: Any, arguments: Arguments) -> Iterator[Way]:
    x = arguments["self"] if "self" in arguments else arguments["input"]
    here = function._overloadpacket.__name__.removeprefix("upsample_")
    size = arguments.get("output_size")
    if size is None or x.ndim != 4:
        return
    for mode, antialias, corners in (
        ("nearest", False, None),
        ("nearest-exact", False, None),
        ("bilinear", False, False),
        ("bilinear", False, True),
        ("bilinear", True, False),
        ("bicubic", False, False),
        ("bicubic", False, True),
        ("bicubic", True, False),
    ):
        text = f"mode={mode!r}"
        text += ", antialias=True" if antialias else ""
        text += ", align_corners=True" if corners else ""
        yield Way(
            here,
            text,
            lambda m=mode, a=antialias, c=corners: F.interpolate(
                x, size=tuple(size), mode=m, antialias=a, align_corners=c
            ),
        )
