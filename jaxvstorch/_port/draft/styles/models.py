"""A model of a draft in a style: what makes it, loads weights into it, and calls it."""

import inspect
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import torch


class Model:
    """A model of a draft, with its state.

    Attributes:
        model: of Equinox, or dictionaries of arrays.
        state: its running averages; None if it has none.
    """

    def __init__(
        self, draft: ModuleType, module: torch.nn.Module, args: Any, kwargs: Mapping[str, Any]
    ) -> None:
        self.draft, self.module = draft, module
        cls = getattr(draft, type(module).__name__)
        self.stateful = hasattr(draft, "state_from_torch")
        make = eqx.nn.make_with_state(cls) if self.stateful else cls
        made = make(*args, **kwargs, key=jax.random.key(0))
        self.state: Any
        self.model, self.state = made if self.stateful else (made, None)
        self.model = eqx.nn.inference_mode(self.model, not module.training)

    def loaded(self, values: Mapping[str, Any], dtype: Any) -> "Model":
        """The model with other weights, by PyTorch's names."""
        new = object.__new__(type(self))
        vars(new).update(vars(self))
        new.model = self.draft.from_torch(_as(self.model, dtype), values)
        if self.stateful:
            new.state = self.draft.state_from_torch(new.model, _as(self.state, dtype), values)
        return new

    def called(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result, without its new state."""
        takes = inspect.signature(type(self.model).__call__).parameters
        if "key" in takes:
            kwargs["key"] = jax.random.key(0)
        if "state" not in takes:
            return self.model(*args, **kwargs)
        result, _ = self.model(*args, **kwargs, state=self.state)
        return result

    def named(self, name: str) -> dict[str, Any]:
        """The model and its state, as a step takes them."""
        return {name: self.model} | ({"state": self.state} if self.stateful else {})

    def with_named(self, given: Mapping[str, Any], name: str) -> "Model":
        """The model as a step has left it."""
        new = object.__new__(type(self))
        vars(new).update(vars(self))
        new.model, new.state = given[name], given.get("state")
        return new

    def weights(self) -> Any:
        """What an optimizer changes."""
        weights = getattr(self.draft, "weights", None)
        return weights(self.model) if weights else eqx.filter(self.model, eqx.is_inexact_array)

    def arrays(self) -> list[tuple[str, Any]]:
        """The weights and running averages, after where they are."""
        tree = eqx.filter((self.model, self.state), eqx.is_inexact_array)
        leaves = jax.tree_util.tree_leaves_with_path(tree)
        return [(jax.tree_util.keystr(path[1:]), value) for path, value in leaves]


def _as(tree: Any, dtype: Any) -> Any:
    """A tree with its numbers as wide as another."""

    def one(x: Any) -> Any:
        floats = eqx.is_array(x) and jnp.issubdtype(x.dtype, jnp.floating)
        return x.astype(dtype) if floats else x

    return jax.tree.map(one, tree)
