"""Elementwise operations of a jaxpr, in PyTorch."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch

from jaxvstorch._port.map.running.values import DTYPES

Operation = Callable[..., Any]
_TORCH = {str(getattr(jax, "__name__", jax)): ours for ours, jax in DTYPES.items()}
_PRECISIONS = {(8, 7): torch.bfloat16, (5, 10): torch.float16, (8, 23): torch.float32}


def dtype(jax_dtype: Any) -> torch.dtype:
    """PyTorch's dtype of the same name.

    Raises:
        KeyError: it has none.
    """
    name = str(jax_dtype)
    return torch.bool if name == "bool" else _TORCH[name]


def _before(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Whether ``x`` comes before ``y`` in JAX's total order: -0 before 0, and NaN last."""
    zeros = (x == y) & torch.signbit(x) & ~torch.signbit(y)
    return torch.where(torch.isnan(x), False, (x < y) | zeros | torch.isnan(y))


# One function of PyTorch each, with no parameters that change the result.
SAME = {
    "abs": torch.abs, "acos": torch.acos, "acosh": torch.acosh, "add": torch.add,
    "add_any": torch.add, "asin": torch.asin, "asinh": torch.asinh, "atan": torch.atan,
    "atan2": torch.atan2, "atanh": torch.atanh, "ceil": torch.ceil, "conj": torch.conj,
    "copy": torch.clone, "copy_p": torch.clone, "cos": torch.cos, "cosh": torch.cosh,
    "digamma": torch.digamma, "eq": torch.eq, "erf": torch.erf, "erf_inv": torch.erfinv,
    "erfc": torch.erfc, "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1,
    "floor": torch.floor, "ge": torch.ge, "gt": torch.gt, "igamma": torch.special.gammainc,
    "igammac": torch.special.gammaincc, "imag": torch.imag, "is_finite": torch.isfinite,
    "le": torch.le, "lgamma": torch.lgamma, "log": torch.log, "log1p": torch.log1p,
    "log2": torch.log2,
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
    "one_minus_square": lambda x: 1 - x * x,
    "polynomial": lambda x, *coefficients: reduce(lambda y, c: y * x + c, coefficients[::-1]),
    "rem": torch.fmod, "zeta": torch.special.zeta,
    "le_to": lambda x, y: ~_before(y, x), "lt_to": lambda x, y: _before(x, y),
    "device_put": lambda *x: list(x), "sharding_constraint": torch.clone,
}  # fmt: skip


def _cast(params: Any, x: torch.Tensor) -> torch.Tensor:
    return x.to(dtype(params["new_dtype"]))


def _divided(params: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    whole = not (x.is_floating_point() or x.is_complex())
    return torch.div(x, y, rounding_mode="trunc") if whole else x / y


def _selected(params: Any, which: torch.Tensor, *cases: torch.Tensor) -> torch.Tensor:
    if which.dtype == torch.bool:
        return torch.where(which, cases[1], cases[0])
    return reduce(lambda y, i: torch.where(which == i, cases[i], y), range(1, len(cases)), cases[0])


def _integer_pow(params: Any, x: torch.Tensor) -> torch.Tensor:
    power: torch.Tensor = x ** params["y"]
    return power


def _bits(params: Any, x: torch.Tensor) -> torch.Tensor:
    """The same bits as another dtype; where the width differs, an axis holds a number's parts."""
    to = dtype(params["new_dtype"])
    if to.itemsize < x.dtype.itemsize:
        return x.unsqueeze(-1).view(to)
    return x.view(to) if to.itemsize == x.dtype.itemsize else x.contiguous().view(to).squeeze(-1)


def _shifted(params: Any, x: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    """A shift to the right that shifts in zeros; PyTorch's shifts in the sign."""
    bits = 8 * x.dtype.itemsize
    if bits == 64:
        raise NotImplementedError("PyTorch has no such shift of 64 bits")
    wide = torch.bitwise_and(x.long(), 2**bits - 1)
    by = by.long()
    by = torch.where(by < 0, bits, by.clamp(max=bits))  # XLA reads it without a sign
    return torch.bitwise_right_shift(wide, by).to(x.dtype)


def _rounded(params: Any, x: torch.Tensor) -> torch.Tensor:
    bits = params["exponent_bits"], params["mantissa_bits"]
    if bits not in _PRECISIONS:
        raise NotImplementedError("PyTorch has no dtype of {} and {} bits".format(*bits))
    return x.to(_PRECISIONS[bits]).to(x.dtype)


def _polygamma(params: Any, order: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    first, *others = set(order.flatten().tolist())
    if others or first != int(first):
        raise NotImplementedError("PyTorch's polygamma takes one order, a whole number")
    result: torch.Tensor = torch.special.polygamma(int(first), x)
    return result


WITH_PARAMETERS: dict[str, Operation] = {
    "bitcast_convert_type": _bits,
    "convert_element_type": _cast,
    "div": _divided,
    "integer_pow": _integer_pow,
    "polygamma": _polygamma,
    "reduce_precision": _rounded,
    "round": lambda params, x: (
        torch.round(x)
        if params["rounding_method"].name == "TO_NEAREST_EVEN"
        else torch.trunc(x + torch.copysign(torch.full_like(x, 0.5), x))
    ),
    "select_n": _selected,
    "shift_right_logical": _shifted,
}
