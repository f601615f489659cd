"""Operations of a jaxpr along axes, in PyTorch: reductions, cumulative ones, and sorts."""

from typing import Any

import torch

from jaxvstorch._port.from_jax.elementwise import Operation, dtype


def _along(function: Operation) -> Operation:
    """Apply a reduction of one axis to all axes that JAX names, the last one first."""

    def over_all(params: Any, x: torch.Tensor) -> Any:
        for axis in sorted(params["axes"], reverse=True):
            x = function(x, axis)
        return x

    return over_all


def _collective(function: Operation) -> Operation:
    """A reduction over the batches of ``jax.vmap`` that are named ``axis_name``."""

    def over_batches(params: Any, *arrays: torch.Tensor) -> list[torch.Tensor]:
        if params["axis_index_groups"] or any(not isinstance(a, int) for a in params["axes"]):
            raise NotImplementedError("a collective across devices")
        axes = tuple(params["axes"])
        return [function(x, axes) if axes else x for x in arrays]

    return over_batches


def _cumulative(function: Operation) -> Operation:
    def along(params: Any, x: torch.Tensor) -> Any:
        axis = params["axis"]
        if params["reverse"]:
            return function(x.flip(axis), axis).flip(axis)
        return function(x, axis)

    return along


def _sorted(params: Any, *arrays: torch.Tensor) -> list[torch.Tensor]:
    axis = params["dimension"]
    order = torch.arange(arrays[0].shape[axis]).reshape([-1] + [1] * (arrays[0].ndim - axis - 1))
    order = order.expand(arrays[0].shape).clone()
    for key in reversed(arrays[: params["num_keys"]]):
        by_key = torch.gather(key, axis, order).argsort(dim=axis, stable=True)
        order = torch.gather(order, axis, by_key)
    return [torch.gather(x, axis, order) for x in arrays]


def _top(params: Any, x: torch.Tensor) -> list[torch.Tensor]:
    order = x.argsort(dim=-1, descending=True, stable=True)[..., : params["k"]]
    return [torch.gather(x, -1, order), order.to(torch.int32)]


def _index(function: Operation) -> Operation:
    def along(params: Any, x: torch.Tensor) -> torch.Tensor:
        index: torch.Tensor = function(x, params["axes"][0])
        return index.to(dtype(params["index_dtype"]))

    return along


WITH_PARAMETERS: dict[str, Operation] = {
    "argmax": _index(lambda x, axis: torch.argmax(x.int() if x.dtype == torch.bool else x, axis)),
    "argmin": _index(lambda x, axis: torch.argmin(x.int() if x.dtype == torch.bool else x, axis)),
    "cumlogsumexp": _cumulative(torch.logcumsumexp),
    "cummax": _cumulative(lambda x, axis: torch.cummax(x, axis).values),
    "cummin": _cumulative(lambda x, axis: torch.cummin(x, axis).values),
    "cumprod": _cumulative(lambda x, axis: torch.cumprod(x, axis, dtype=x.dtype)),
    "cumsum": _cumulative(lambda x, axis: torch.cumsum(x, axis, dtype=x.dtype)),
    "pmax": _collective(torch.amax),
    "pmin": _collective(torch.amin),
    "psum": _collective(lambda x, axes: torch.sum(x, axes, dtype=x.dtype)),
    "reduce_and": _along(torch.all),
    "reduce_max": lambda params, x: torch.amax(x, params["axes"]) if params["axes"] else x,
    "reduce_min": lambda params, x: torch.amin(x, params["axes"]) if params["axes"] else x,
    "reduce_or": _along(torch.any),
    "reduce_prod": _along(lambda x, axis: torch.prod(x, axis, dtype=x.dtype)),
    "reduce_sum": _along(lambda x, axis: torch.sum(x, axis, dtype=x.dtype)),
    "sort": _sorted,
    "top_k": _top,
}
