"""Other rows, parts, and orders of parts."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from jaxvstorch._diff.ways.way import Arguments, Way


def rows(function: Any, arguments: Arguments) -> Iterator[Way]:
    weight, indices = arguments["weight"], arguments["indices"]
    for n in (1, -1):
        yield Way(
            "the indices", f"the indices {n:+d}",
            lambda n=n: weight[(indices + n).clamp(0, len(weight) - 1)],
        )  # fmt: skip
    factor = weight.shape[1] ** 0.5
    yield Way("the rows", f"the rows times {factor:g}", lambda: weight[indices] * factor)


def joins(function: Any, arguments: Arguments) -> Iterator[Way]:
    tensors, dim = list(arguments["tensors"]), arguments.get("dim", 0)
    if len(tensors) > 1:
        join = torch.stack if "stack" in function._overloadpacket.__name__ else torch.cat
        yield Way("the parts in this order", "the parts in the reverse order",
                  lambda: join(tensors[::-1], dim))  # fmt: skip


def slices(function: Any, arguments: Arguments) -> Iterator[Way]:
    """One half of an axis, or every second of its elements."""
    x, dim = arguments["self"], arguments.get("dim", 0)
    size = x.shape[dim]
    start, end = arguments.get("start") or 0, min(arguments.get("end") or size, size)
    step = arguments.get("step", 1)
    half = size // 2
    here = "every second element" if step == 2 else f"elements {start} to {end - 1}"
    index = [slice(None)] * x.ndim

    def part(s: slice) -> Callable[[], torch.Tensor]:
        at = [*index]
        at[dim] = s
        return lambda: x[tuple(at)]

    if size % 2 == 0 and (end - start == half or step == 2):  # as rotary positions have them
        yield Way(here, "every second element, from the first", part(slice(0, None, 2)))
        yield Way(here, "every second element, from the second", part(slice(1, None, 2)))
        yield Way(here, "the first half", part(slice(0, half)))
        yield Way(here, "the second half", part(slice(half, None)))


def splits(function: Any, arguments: Arguments) -> Iterator[Way]:
    """The parts of an axis beside each other, or each of every n-th of its elements."""
    x, dim, size = arguments["self"], arguments.get("dim", 0), arguments["split_size"]
    parts = -(-x.shape[dim] // size)
    index = [slice(None)] * x.ndim
    for n in range(parts):
        at = [*index]
        at[dim] = slice(n, None, parts)
        yield Way(
            f"{parts} parts behind each other",
            f"{parts} parts interleaved, each of every {parts}th element",
            lambda at=tuple(at): x[at],
        )
