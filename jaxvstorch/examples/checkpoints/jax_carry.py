"""To JAX: a tree of weights from PyTorch's ``state_dict``, bit for bit."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from torch import Tensor

from jaxvstorch.examples.checkpoints.names import flat, nested, require_fit

Params = dict[str, Any]


def to_jax(tensor: Tensor) -> jax.Array:
    """Copy a tensor, in any dtype that both have; JAX makes int32 of int64 unless x64 is on."""
    shared = jnp.from_dlpack(tensor.detach().cpu())
    return jnp.array(shared, copy=True)  # an optimizer's step would change the shared memory


def params_from_torch(state_dict: Mapping[str, Tensor], like: Params) -> Params:
    """Make a tree of ``like``'s structure of a ``state_dict``.

    Raises:
        MismatchError: names, shapes or dtypes are not those of ``like``.
    """
    require_fit(state_dict, flat(like))
    return nested({name: to_jax(state_dict[name]) for name in flat(like)})
