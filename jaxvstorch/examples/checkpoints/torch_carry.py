"""To PyTorch: a ``state_dict`` from a tree of weights, bit for bit."""

from collections.abc import Mapping
from typing import Any

import jax
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from jaxvstorch.examples.checkpoints.names import flat, require_fit


def to_torch(array: jax.Array) -> Tensor:
    """Copy an array, in any dtype that both have."""
    return from_dlpack(array).clone()  # so that writing into it leaves the array as it is


def params_to_torch(params: Any, like: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Make a ``state_dict`` in the order of ``like``, which is a model's own.

    Raises:
        MismatchError: names, shapes or dtypes are not those of ``like``.
    """
    named = flat(params)
    require_fit(named, like)
    return {name: to_torch(named[name]) for name in like}
