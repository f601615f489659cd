"""A tree as one vector, and what a function would return."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

__all__ = ["eval_shape", "ravel_pytree"]


def ravel_pytree(pytree: Any) -> tuple[torch.Tensor, Callable[[torch.Tensor], Any]]:
    """``jax.flatten_util.ravel_pytree``: a tree as one vector, and the way back."""
    leaves, structure = tree_flatten(pytree)

    def unravel(vector: torch.Tensor) -> Any:
        parts = torch.split(vector, [leaf.numel() for leaf in leaves])
        shaped = [p.reshape(leaf.shape) for p, leaf in zip(parts, leaves, strict=True)]
        typed = [p.to(leaf.dtype) for p, leaf in zip(shaped, leaves, strict=True)]
        return tree_unflatten(typed, structure)

    return torch.cat([leaf.ravel() for leaf in leaves]), unravel


def eval_shape(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``jax.eval_shape``: the shapes and dtypes of a result, as tensors without values."""

    def empty(leaf: Any) -> Any:
        return leaf.to("meta") if isinstance(leaf, torch.Tensor) else leaf

    with torch.device("meta"):
        return fun(*tree_map(empty, args), **tree_map(empty, kwargs))
