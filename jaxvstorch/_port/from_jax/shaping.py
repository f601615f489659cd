"""Operations of a jaxpr that move numbers without computing, in PyTorch."""

from functools import reduce
from typing import Any

import torch

from jaxvstorch._port.from_jax.elementwise import Operation, dtype


def _broadcast(params: Any, x: torch.Tensor, *_: Any) -> torch.Tensor:
    shape = [1] * len(params["shape"])
    for size, axis in zip(x.shape, params["broadcast_dimensions"], strict=True):
        shape[axis] = size
    return x.reshape(shape).expand(params["shape"])


def padded(params: Any, x: torch.Tensor, fill: torch.Tensor) -> torch.Tensor:
    """An array with ``fill`` around it and between its numbers; negative padding crops."""
    config = params["padding_config"]
    inner = [slice(max(low, 0), None) for low, _, _ in config]
    sizes = [
        low + high + n + max(n - 1, 0) * between
        for (low, high, between), n in zip(config, x.shape, strict=True)
    ]
    wide = [
        size - min(low, 0) - min(high, 0)
        for size, (low, high, _) in zip(sizes, config, strict=True)
    ]
    y = fill.expand(wide).clone()
    targets = tuple(
        slice(bounds.start, bounds.start + n + max(n - 1, 0) * between, between + 1)
        for bounds, n, (_, _, between) in zip(inner, x.shape, config, strict=True)
    )
    y[targets] = x
    cropped = tuple(
        slice(-min(low, 0), -min(low, 0) + size)
        for size, (low, _, _) in zip(sizes, config, strict=True)
    )
    return y[cropped]


def _sliced(params: Any, x: torch.Tensor) -> torch.Tensor:
    strides = params["strides"] or (1,) * x.ndim
    bounds = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return x[tuple(slice(*bound) for bound in bounds)]


def _iota(params: Any, *_: Any) -> torch.Tensor:
    shape, axis = params["shape"], params["dimension"]
    numbers = torch.arange(shape[axis], dtype=dtype(params["dtype"]))
    return numbers.reshape([-1] + [1] * (len(shape) - axis - 1)).expand(shape)


def _reshaped(params: Any, x: torch.Tensor, *_: Any) -> torch.Tensor:
    order = params["dimensions"]
    return (x if order is None else x.permute(order)).reshape(params["new_sizes"])


WITH_PARAMETERS: dict[str, Operation] = {
    "broadcast_in_dim": _broadcast,
    "concatenate": lambda params, *x: torch.cat(x, params["dimension"]),
    "expand_dims": lambda params, x: reduce(
        lambda y, axis: y.unsqueeze(axis), sorted(params["dimensions"]), x
    ),
    "iota": _iota,
    "pad": padded,
    "reshape": _reshaped,
    "rev": lambda params, x: x.flip(params["dimensions"]),
    "slice": _sliced,
    "split": lambda params, x: list(torch.split(x, list(params["sizes"]), params["axis"])),
    "squeeze": lambda params, x: x.reshape(
        [n for i, n in enumerate(x.shape) if i not in params["dimensions"]]
    ),
    "stack": lambda params, *x: torch.stack(x, params["axis"]),
    "tile": lambda params, x: x.repeat(params["reps"]),
    "transpose": lambda params, x: x.permute(params["permutation"]),
    "unstack": lambda params, x: list(torch.unbind(x, params["axis"])),
}
