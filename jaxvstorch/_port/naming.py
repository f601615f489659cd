"""The map's name for a function of PyTorch."""

import inspect
import types
from functools import cache
from typing import Any

import torch
from torch.overrides import get_ignored_functions, get_testing_overrides, resolve_name

from jaxvstorch._port.map.rows import rows

# Python's names of operators, and of those that take their operands in reverse order.
_OPERATORS = {
    "__add__": "torch.add", "__and__": "torch.bitwise_and", "__eq__": "torch.eq",
    "__floordiv__": "torch.floor_divide", "__ge__": "torch.ge", "__gt__": "torch.gt",
    "__iadd__": "Tensor.add_", "__imul__": "Tensor.mul_", "__invert__": "torch.bitwise_not",
    "__ipow__": "Tensor.pow_", "__isub__": "Tensor.sub_", "__itruediv__": "Tensor.div_",
    "__le__": "torch.le", "__lshift__": "torch.bitwise_left_shift", "__lt__": "torch.lt",
    "__matmul__": "torch.matmul",
    "__mod__": "torch.remainder", "__mul__": "torch.mul", "__ne__": "torch.ne",
    "__neg__": "torch.neg", "__or__": "torch.bitwise_or", "__pow__": "torch.pow",
    "__rshift__": "torch.bitwise_right_shift", "__sub__": "torch.sub",
    "__truediv__": "torch.div", "__xor__": "torch.bitwise_xor",
}  # fmt: skip
_REFLECTED = {
    "__radd__": "torch.add", "__rfloordiv__": "torch.floor_divide", "__rmatmul__": "torch.matmul",
    "__rmod__": "torch.remainder", "__rmul__": "torch.mul", "__rpow__": "torch.pow",
    "__rsub__": "torch.sub", "__rtruediv__": "torch.div", "__rdiv__": "torch.div",
}  # fmt: skip

# They ask about an array and compute nothing: the same in JAX, or no part of a port.
QUIET = frozenset({
    "__array__", "__bool__", "__contains__", "__deepcopy__", "__format__", "__float__",
    "__get__", "__hash__", "__index__", "__int__", "__iter__", "__len__", "__repr__",
    "__reduce_ex__", "__set__", "_is_view", "data_ptr", "dim", "element_size", "get_device",
    "has_names", "is_complex", "is_contiguous", "is_floating_point", "is_nested", "is_sparse",
    "is_tensor", "ndimension", "numel", "size", "storage_offset", "stride",
    "untyped_storage",
})  # fmt: skip

# PyTorch fills its table of names with warnings off. Later calls would only change the filters,
# after which Python repeats warnings that it has shown.
resolve_name(torch.add)
_full_name = inspect.unwrap(resolve_name)

_IN_C = (types.BuiltinFunctionType, types.MethodDescriptorType)
_HIDDEN = (torch.is_grad_enabled, torch.promote_types)


def name_of(function: Any) -> tuple[str, bool]:
    """The map's name for a function, and whether its first two arguments are reversed."""
    bare = getattr(function, "__name__", "")
    full = (_full_name(function) or bare).replace("torch.Tensor.", "Tensor.")
    for name in (bare, full.rpartition(".")[2]):  # x ** y calls itself pow
        if name in _OPERATORS:
            return _OPERATORS[name], False
        if name in _REFLECTED:
            return _REFLECTED[name], True
    # torch.mm is torch.spmm, too: the function's own name counts.
    if full not in rows() or getattr(torch, bare, None) is function:
        return _known(bare, getattr(function, "__module__", "")) or full, False
    return full, False


def _known(bare: str, module: str) -> str | None:
    """The map's name for a function that PyTorch has under several names."""
    modules = (module, "torch.nn.functional", "torch", "torch.nn.init")
    names = (f"{module}.{bare}" for module in modules)
    return next((name for name in names if name in rows()), None)


@cache
def watched() -> frozenset[str]:
    """The names of the map whose calls a mode sees."""
    # Of the functions that no class can override, a mode sees those in C: no `torch.no_grad`.
    ignored = [f for f in get_ignored_functions() if isinstance(f, _IN_C) and f not in _HIDDEN]
    functions = [*get_testing_overrides(), *ignored]
    shown = [f for f in functions if getattr(f, "__name__", "") not in QUIET]
    return frozenset(name for f in shown if (name := name_of(f)[0]) in rows())
