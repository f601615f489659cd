"""Operations of a jaxpr on windows that move over an array, in PyTorch: pooling."""

from typing import Any

import torch

from jaxvstorch._port.from_jax.elementwise import Operation
from jaxvstorch._port.from_jax.shaping import padded

_REDUCTIONS: dict[str, Operation] = {
    "add": lambda y: torch.sum(y, -1, dtype=y.dtype),
    "max": lambda y: torch.amax(y, -1),
    "min": lambda y: torch.amin(y, -1),
    "mul": lambda y: torch.prod(y, -1, dtype=y.dtype),
}


def _windows(params: Any, x: torch.Tensor, fill: Any) -> torch.Tensor:
    """Each window of a padded array, flat, on the last axis."""
    sizes, n = params["window_dimensions"], x.ndim
    dilation = params.get("window_dilation") or (1,) * n
    between = params.get("base_dilation") or (1,) * n
    config = [(*pads, b - 1) for pads, b in zip(params["padding"], between, strict=True)]
    y = padded({"padding_config": config}, x, torch.tensor(fill, dtype=x.dtype))
    steps = zip(sizes, params["window_strides"], dilation, strict=True)
    for axis, (size, step, spacing) in enumerate(steps):
        y = y.unfold(axis, (size - 1) * spacing + 1, step)[..., ::spacing]
    return y.flatten(n)


def _least(x: torch.Tensor) -> Any:
    return -torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).min


def _most(x: torch.Tensor) -> Any:
    return torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).max


def _reduced(params: Any, x: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """A reduction by a function; ``start`` is its first value, and the padding.

    Raises:
        NotImplementedError: PyTorch has no reduction for the function.
    """
    names = ", ".join(str(eqn.primitive) for eqn in params["jaxpr"].eqns)
    if names not in _REDUCTIONS:
        raise NotImplementedError(f"PyTorch has no reduction by {names}")
    y = _windows(params, x, start.item())
    reduced: torch.Tensor = _REDUCTIONS[names](torch.cat([y, start.expand(*y.shape[:-1], 1)], -1))
    return reduced


def _scattered(params: Any, gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The gradient of pooling: each number goes to the largest, or least, element of its window."""
    largest = str(params["select_prim"]) == "ge"
    positions = torch.arange(x.numel()).reshape(x.shape)
    values = _windows(params, x, _least(x) if largest else _most(x))
    which = (torch.argmax if largest else torch.argmin)(values, -1, keepdim=True)
    chosen = torch.gather(_windows(params, positions, -1), -1, which).flatten()
    return x.new_zeros(x.numel()).index_add(0, chosen, gradient.flatten()).reshape(x.shape)


WITH_PARAMETERS: dict[str, Operation] = {
    "reduce_window": _reduced,
    "reduce_window_max": lambda params, x: _windows(params, x, _least(x)).amax(-1),
    "reduce_window_min": lambda params, x: _windows(params, x, _most(x)).amin(-1),
    "reduce_window_sum": lambda params, x: _windows(params, x, 0).sum(-1, dtype=x.dtype),
    "select_and_scatter_add": _scattered,
}
