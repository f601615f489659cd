"""What each operation of a jaxpr is in PyTorch.

A function takes the operation's parameters, and then its arrays; it gives one array or several.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch

from jaxvstorch.names.running.values import DTYPES
from jaxvstorch.porter.from_jax.contracting import conv_general_dilated, dot_general
from jaxvstorch.porter.from_jax.placing import (
    dynamic_slice,
    dynamic_update_slice,
    gather,
    scatter,
    scatter_add,
)

Operation = Callable[..., Any]
_TORCH = {str(getattr(jax, "__name__", jax)): ours for ours, jax in DTYPES.items()}


def dtype(of: Any) -> torch.dtype:
    """PyTorch's dtype of the same name.

    Raises:
        KeyError: it has none.
    """
    name = str(of)
    return torch.bool if name == "bool" else _TORCH[name]


# Under the same name, or another one, and with no parameters that change the result.
_SAME = {
    "abs": torch.abs, "acos": torch.acos, "acosh": torch.acosh, "add": torch.add,
    "add_any": torch.add, "asin": torch.asin, "asinh": torch.asinh, "atan": torch.atan,
    "atan2": torch.atan2, "atanh": torch.atanh, "ceil": torch.ceil, "conj": torch.conj,
    "copy": torch.clone, "copy_p": torch.clone, "cos": torch.cos, "cosh": torch.cosh,
    "digamma": torch.digamma, "eq": torch.eq, "erf": torch.erf, "erf_inv": torch.erfinv,
    "erfc": torch.erfc, "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1,
    "floor": torch.floor, "ge": torch.ge, "gt": torch.gt, "igamma": torch.special.gammainc,
    "igammac": torch.special.gammaincc, "imag": torch.imag, "is_finite": torch.isfinite,
    "le": torch.le, "lgamma": torch.lgamma, "log": torch.log, "log1p": torch.log1p,
    "logistic": torch.sigmoid, "lt": torch.lt, "max": torch.maximum, "min": torch.minimum,
    "mul": torch.mul, "ne": torch.ne, "neg": torch.neg, "nextafter": torch.nextafter,
    "not": torch.bitwise_not, "and": torch.bitwise_and, "or": torch.bitwise_or,
    "xor": torch.bitwise_xor, "pow": torch.pow, "real": torch.real, "rsqrt": torch.rsqrt,
    "sin": torch.sin, "sinh": torch.sinh, "sqrt": torch.sqrt, "square": torch.square,
    "stop_gradient": torch.detach, "sub": torch.sub, "tan": torch.tan, "tanh": torch.tanh,
    "optimization_barrier": lambda *x: list(x),
    "bessel_i0e": torch.special.i0e, "bessel_i1e": torch.special.i1e,
    "shift_left": torch.bitwise_left_shift, "shift_right_arithmetic": torch.bitwise_right_shift,
    "sign": lambda x: torch.where(torch.isnan(x), x, torch.sign(x)) if x.is_floating_point()
    else torch.sgn(x),
    "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
    "complex": torch.complex,
    "clamp": lambda low, x, high: torch.minimum(torch.maximum(x, low), high),
    "rem": torch.fmod,
}  # fmt: skip


def _along(function: Operation) -> Operation:
    """A reduction of one axis, over all axes that JAX names, the last one first."""

    def over_all(params: Any, x: torch.Tensor) -> Any:
        for axis in sorted(params["axes"], reverse=True):
            x = function(x, axis)
        return x

    return over_all


def _running(function: Operation) -> Operation:
    def along(params: Any, x: torch.Tensor) -> Any:
        axis = params["axis"]
        if params["reverse"]:
            return function(x.flip(axis), axis).flip(axis)
        return function(x, axis)

    return along


def _cast(params: Any, x: torch.Tensor) -> torch.Tensor:
    return x.to(dtype(params["new_dtype"]))


def _divided(params: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    whole = not (x.is_floating_point() or x.is_complex())
    return torch.div(x, y, rounding_mode="trunc") if whole else x / y


def _broadcast(params: Any, x: torch.Tensor, *_: Any) -> torch.Tensor:
    shape = [1] * len(params["shape"])
    for size, axis in zip(x.shape, params["broadcast_dimensions"], strict=True):
        shape[axis] = size
    return x.reshape(shape).expand(params["shape"])


def _padded(params: Any, x: torch.Tensor, fill: torch.Tensor) -> torch.Tensor:
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
    places = tuple(
        slice(place.start, place.start + n + max(n - 1, 0) * step, step + 1)
        for place, n, (_, _, step) in zip(inner, x.shape, config, strict=True)
    )
    y[places] = x
    cut = tuple(
        slice(-min(low, 0), -min(low, 0) + size)
        for size, (low, _, _) in zip(sizes, config, strict=True)
    )
    return y[cut]


def _sliced(params: Any, x: torch.Tensor) -> torch.Tensor:
    strides = params["strides"] or (1,) * x.ndim
    bounds = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return x[tuple(slice(*bound) for bound in bounds)]


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


def _selected(params: Any, which: torch.Tensor, *cases: torch.Tensor) -> torch.Tensor:
    if which.dtype == torch.bool:
        return torch.where(which, cases[1], cases[0])
    return reduce(lambda y, i: torch.where(which == i, cases[i], y), range(1, len(cases)), cases[0])


def _iota(params: Any, *_: Any) -> torch.Tensor:
    shape, axis = params["shape"], params["dimension"]
    line = torch.arange(shape[axis], dtype=dtype(params["dtype"]))
    return line.reshape([-1] + [1] * (len(shape) - axis - 1)).expand(shape)


def _place(function: Operation) -> Operation:
    def along(params: Any, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = function(x, params["axes"][0])
        return found.to(dtype(params["index_dtype"]))

    return along


_WITH_PARAMETERS: dict[str, Operation] = {
    "argmax": _place(lambda x, axis: torch.argmax(x.int() if x.dtype == torch.bool else x, axis)),
    "argmin": _place(lambda x, axis: torch.argmin(x.int() if x.dtype == torch.bool else x, axis)),
    "broadcast_in_dim": _broadcast,
    "cholesky": lambda params, x: torch.linalg.cholesky(x),
    "concatenate": lambda params, *x: torch.cat(x, params["dimension"]),
    "conv_general_dilated": conv_general_dilated,
    "convert_element_type": _cast,
    "cumlogsumexp": _running(torch.logcumsumexp),
    "cummax": _running(lambda x, axis: torch.cummax(x, axis).values),
    "cummin": _running(lambda x, axis: torch.cummin(x, axis).values),
    "cumprod": _running(lambda x, axis: torch.cumprod(x, axis, dtype=x.dtype)),
    "cumsum": _running(lambda x, axis: torch.cumsum(x, axis, dtype=x.dtype)),
    "div": _divided,
    "dot_general": dot_general,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "gather": gather,
    "integer_pow": lambda params, x: x ** params["y"],
    "iota": _iota,
    "pad": _padded,
    "reduce_and": _along(torch.all),
    "reduce_max": lambda params, x: torch.amax(x, params["axes"]) if params["axes"] else x,
    "reduce_min": lambda params, x: torch.amin(x, params["axes"]) if params["axes"] else x,
    "reduce_or": _along(torch.any),
    "reduce_prod": _along(lambda x, axis: torch.prod(x, axis, dtype=x.dtype)),
    "reduce_sum": _along(lambda x, axis: torch.sum(x, axis, dtype=x.dtype)),
    "reshape": lambda params, x, *_: x.reshape(params["new_sizes"]),
    "rev": lambda params, x: x.flip(params["dimensions"]),
    "round": lambda params, x: torch.round(x),
    "scatter": scatter,
    "scatter-add": scatter_add,
    "select_n": _selected,
    "slice": _sliced,
    "sort": _sorted,
    "split": lambda params, x: list(torch.split(x, list(params["sizes"]), params["axis"])),
    "squeeze": lambda params, x: x.reshape(
        [n for i, n in enumerate(x.shape) if i not in params["dimensions"]]
    ),
    "expand_dims": lambda params, x: reduce(
        lambda y, axis: y.unsqueeze(axis), sorted(params["dimensions"]), x
    ),
    "top_k": _top,
    "transpose": lambda params, x: x.permute(params["permutation"]),
}


def operation(name: str) -> Operation | None:
    """What does the operation of this name in PyTorch, if anything is known to."""
    if (same := _SAME.get(name)) is not None:
        return lambda params, *arrays: same(*arrays)
    return _WITH_PARAMETERS.get(name)
