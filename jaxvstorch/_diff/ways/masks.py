"""Other masks, and other numbers in what is masked."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from jaxvstorch._diff.ways.way import Arguments, Way

_FILLS = [float("-inf"), 0.0, 1.0, -1.0, -10.0, -100.0, -1e3, -1e4, -1e5, -1e6, -1e9, -1e10, -1e30,
          torch.finfo(torch.float32).min, torch.finfo(torch.float16).min]  # fmt: skip


def fills(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, mask, value = arguments["self"], arguments["mask"], arguments["value"]
    here = float(value)
    for other in _FILLS:
        if other != here:
            yield Way(
                f"masked by {here:g}",
                f"masked by {other:g}",
                lambda other=other: x.masked_fill(mask, other),
            )
    yield from _masks(mask, lambda mask: x.masked_fill(mask, here))


def _masks(mask: torch.Tensor, masked: Callable[[torch.Tensor], Any]) -> Iterator[Way]:
    """Another mask: inverted, turned, or moved by one."""
    yield Way("the mask", "the mask inverted", lambda: masked(~mask))
    yield Way("the mask", "no mask", lambda: masked(torch.zeros_like(mask)))
    if mask.ndim < 2:
        return
    rows, columns = mask.shape[-2:]
    if rows == columns:
        yield Way("the mask", "the mask transposed", lambda: masked(mask.mT))
        yield Way("the mask", "the mask transposed and inverted", lambda: masked(~mask.mT))
    eye = torch.eye(rows, columns, dtype=torch.bool)
    yield Way("the mask", "the mask with the diagonal masked too", lambda: masked(mask | eye))
    yield Way("the mask", "the mask without the diagonal", lambda: masked(mask & ~eye))
    ones = torch.ones(rows, columns, dtype=torch.bool)
    for n in (-2, -1, 0, 1, 2):
        for text, other in (("from", ones.triu(n)), ("up to", ones.tril(n))):
            yield Way(
                "the mask",
                f"a triangular mask, True {text} diagonal {n}",
                lambda other=other: masked(other),
            )


def wheres(function: Any, arguments: Arguments) -> Iterator[Way]:
    condition, a, b = arguments["condition"], arguments["self"], arguments["other"]
    yield from _masks(condition, lambda condition: torch.where(condition, a, b))
