"""A PyTorch call's arguments as JAX takes them, and the results of both in NumPy."""

import ast
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._frameworks.torch import to_numpy
from jaxvstorch._port.map.row import PLACEMENT, Row
from jaxvstorch._port.map.running.call import Call

DTYPES = {
    torch.float64: np.float64, torch.float32: np.float32, torch.float16: np.float16,
    torch.bfloat16: jnp.bfloat16, torch.complex128: np.complex128, torch.complex64: np.complex64,
    torch.int64: np.int64, torch.int32: np.int32, torch.int16: np.int16, torch.int8: np.int8,
    torch.uint64: np.uint64, torch.uint32: np.uint32, torch.uint16: np.uint16,
    torch.uint8: np.uint8, torch.bool: np.bool_,
    torch.float8_e4m3fn: jnp.float8_e4m3fn, torch.float8_e5m2: jnp.float8_e5m2,
    torch.float8_e4m3fnuz: jnp.float8_e4m3fnuz, torch.float8_e5m2fnuz: jnp.float8_e5m2fnuz,
    torch.float8_e8m0fnu: jnp.float8_e8m0fnu,
    # By name: PyTorch's own types leave these out.
    **{getattr(torch, n): getattr(jnp, n) for n in ("int2", "int4", "uint2", "uint4")},
}  # fmt: skip


class RefusedError(Exception):
    """A parameter has another value than its default, and the map does not translate it."""


def jax_arguments(row: Row, call: Call, second: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """A call's arguments for JAX, without those that say where PyTorch keeps an array.

    Args:
        row: of the called name.
        call: in PyTorch.
        second: whether it is the second call of a module's line.

    Raises:
        RefusedError: a parameter that the row refuses has another value than its default.
    """
    kwargs = {k: v for k, v in call.kwargs.items() if k not in PLACEMENT or k in row.parameters}
    given = dict(zip(row.taken(second), call.args, strict=False)) | kwargs
    for name in row.refused:
        default = row.parameters[name]
        if name in given and default is not None and given[name] != ast.literal_eval(default):
            raise RefusedError(name)
    return to_jax(list(call.args)), to_jax(kwargs)


def to_jax(value: Any) -> Any:
    """The same for JAX: arrays, dtypes and sizes, and containers of them.

    64-bit values become 32-bit ones where JAX's 64-bit types are off.
    """
    if isinstance(value, torch.Tensor):
        return jax.device_put(array(value))  # jnp.asarray compiles a copy for each shape
    if isinstance(value, torch.dtype):
        return jax.dtypes.canonicalize_dtype(DTYPES[value])
    if isinstance(value, torch.device):
        return value.type
    if isinstance(value, dict):
        return {key: to_jax(item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*map(to_jax, (value.start, value.stop, value.step)))
    if type(value) is list:
        return [to_jax(item) for item in value]
    if isinstance(value, tuple):  # a torch.Size, and PyTorch's named results, too
        return tuple(to_jax(item) for item in value)
    return value


def array(value: Any) -> np.ndarray:
    """An array or number of either framework, in NumPy.

    Raises:
        TypeError: it is sparse, quantized or something else that NumPy lacks.
    """
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_quantized:
            raise TypeError(f"NumPy has no {value.layout} arrays")
        value = value.detach().resolve_conj().resolve_neg()
        if value.dtype is torch.complex32:  # neither NumPy nor JAX has it
            value = value.to(torch.complex64)
    return np.asarray(to_numpy(value))


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers in a result."""
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    if hasattr(value, "bits") and hasattr(value, "max"):  # of a dtype: finfo and iinfo
        return [value.bits, float(value.min), float(value.max), float(getattr(value, "eps", 0))]
    return [value]
