"""To JAX: a tree of weights from PyTorch's ``state_dict``, bit for bit."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from torch import Tensor

from jaxvstorch.examples.checkpoints.names import filled, flat, require_fit


def to_jax(tensor: Tensor) -> jax.Array:
    """Copy a tensor, in any dtype that both have; 64 bits become 32 unless x64 is on."""
    shared = jnp.from_dlpack(tensor.detach().cpu().contiguous())  # JAX takes no strides of 0 or 2
    return jnp.array(shared, copy=True)  # an optimizer's step would change the shared memory


def params_from_torch(state_dict: Mapping[str, Tensor], like: Any) -> Any:
    """Make a tree of ``like``'s structure of a ``state_dict``.

    Raises:
        MismatchError: names, shapes or dtypes are not those of ``like``.
    """
    require_fit(state_dict, flat(like))
    return filled(like, {name: to_jax(tensor) for name, tensor in state_dict.items()})
