"""What stands for an array, a key, a dtype or the structure of a tree, in either framework."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import torch
import torch.utils._pytree

from jaxvstorch._port.map import paste_torch
from jaxvstorch._port.map.running.values import DTYPES

bfloat16 = ml_dtypes.bfloat16
_CATEGORIES = frozenset(paste_torch.dtypes.__all__)  # such as np.floating


@dataclass(frozen=True)
class Key:
    """Stands for a random key in JAX, and for a generator in PyTorch."""

    seed: int = 0

    def __repr__(self) -> str:
        return "key"


@dataclass(frozen=True)
class Structure:
    """Stands for the structure of a tree, in either framework."""

    tree: Any

    def __repr__(self) -> str:
        return "a structure"


def as_key(value: Any) -> Any:
    """An old kind of key as a new one; a generator stays."""
    return jax.random.wrap_key_data(value) if isinstance(value, jax.Array) else value


def to_jax(value: Any) -> Any:
    """Samples as JAX takes them."""
    return _converted(value, jnp.asarray, _in_jax)


def to_torch(value: Any) -> Any:
    """Samples as PyTorch takes them."""
    return _converted(value, _tensor, _in_torch)


def to_show(value: Any) -> Any:
    """Samples as a call's text shows them."""
    return _converted(value, _tensor, _shown)


def _shown(value: Any) -> Any:
    named = isinstance(value, Key | Structure) or getattr(value, "__name__", "") in _CATEGORIES
    return value if named else _in_torch(value)


def _in_jax(value: Any) -> Any:
    if isinstance(value, Key):
        return jax.random.key(value.seed)
    return jax.tree.structure(value.tree) if isinstance(value, Structure) else value


def _in_torch(value: Any) -> Any:
    if isinstance(value, Key):
        return torch.Generator().manual_seed(value.seed)
    if isinstance(value, Structure):
        return torch.utils._pytree.tree_structure(value.tree)
    if isinstance(value, type) and value.__name__ in _CATEGORIES:
        return getattr(paste_torch, value.__name__)
    return next(ours for ours, theirs in DTYPES.items() if np.dtype(theirs) == np.dtype(value))


def _tensor(value: np.ndarray) -> torch.Tensor:
    if value.dtype == bfloat16:
        return torch.from_numpy(value.astype(np.float32)).bfloat16()
    return torch.from_numpy(np.ascontiguousarray(value).reshape(value.shape).copy())


def _converted(value: Any, array: Callable[[Any], Any], other: Callable[[Any], Any]) -> Any:
    """Containers with their arrays, and with what stands for keys, structures and dtypes."""
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.number) and not isinstance(value, bfloat16):
        return array(np.asarray(value))
    dtype = isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, np.generic | bfloat16)
    )
    if dtype or isinstance(value, Key | Structure):
        return other(value)
    if isinstance(value, dict):
        return {name: _converted(item, array, other) for name, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_converted(item, array, other) for item in value)
    return value
