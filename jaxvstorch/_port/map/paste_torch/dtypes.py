"""JAX's categories of dtypes, and the dtype of a result."""

from functools import reduce
from typing import Any

import torch

__all__ = [
    "complexfloating", "floating", "inexact", "integer", "issubdtype", "number", "result_type",
    "signedinteger", "unsignedinteger",
]  # fmt: skip

floating = frozenset({
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
    torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz,
    torch.float8_e8m0fnu,
})  # fmt: skip
complexfloating = frozenset({torch.complex32, torch.complex64, torch.complex128})
inexact = floating | complexfloating
# By name: PyTorch's own types leave out those of 2 and 4 bits.
signedinteger = frozenset(getattr(torch, f"int{bits}") for bits in (2, 4, 8, 16, 32, 64))
unsignedinteger = frozenset(getattr(torch, f"uint{bits}") for bits in (2, 4, 8, 16, 32, 64))
integer = signedinteger | unsignedinteger
number = inexact | integer


def issubdtype(arg1: torch.dtype, arg2: Any) -> bool:
    """``jnp.issubdtype``, of a dtype and a category above or a dtype."""
    return arg1 in arg2 if isinstance(arg2, frozenset) else arg1 == arg2


def result_type(*args: Any) -> torch.dtype:
    """``jnp.result_type``, of tensors, numbers and dtypes."""
    tensors = [torch.empty(1, dtype=a) if isinstance(a, torch.dtype) else a for a in args]
    first, *rest = tensors

    def promoted(left: Any, right: Any) -> Any:
        return torch.empty(1, dtype=torch.result_type(left, right))

    return torch.as_tensor(reduce(promoted, rest, first)).dtype
