"""A model of a draft in a style: what makes it, loads weights into it, and calls it."""

import ast
import inspect
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import torch

from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.styles.function_layers import layer_call
from jaxvstorch._port.draft.styles.resolving import Resolving


class Model:
    """A model of a draft, with its state.

    Attributes:
        model: of Equinox, or dictionaries of arrays.
        state: its running averages; None if it has none.
        stateful: whether it has some.
        renamed: the draft's names of variables that are models.
    """

    model: Any
    state: Any
    stateful: bool
    renamed: Mapping[str, str] = MappingProxyType({})

    def __init__(self, draft: ModuleType, module: torch.nn.Module) -> None:
        self.draft, self.module = draft, module

    def loaded(self, values: Mapping[str, Any], dtype: Any) -> "Model":
        """The model with other weights, by PyTorch's names."""
        raise NotImplementedError

    def called(self, *args: Any, **kwargs: Any) -> Any:
        """The model's result, without its new state."""
        raise NotImplementedError

    def weights(self) -> Any:
        """What an optimizer changes."""
        return self.model

    def named(self, name: str) -> dict[str, Any]:
        """The model and its state, as a step takes them."""
        return {self.renamed.get(name, name): self.model} | (
            {"state": self.state} if self.stateful else {}
        )

    def with_named(self, given: Mapping[str, Any], name: str) -> "Model":
        """The model as a step has left it."""
        return self.replaced(given[self.renamed.get(name, name)], given.get("state"))

    def replaced(self, model: Any, state: Any) -> "Model":
        """The same with other arrays."""
        new = object.__new__(type(self))
        vars(new).update(vars(self) | {"model": model, "state": state})
        return new

    def arrays(self) -> list[tuple[str, Any]]:
        """The weights and running averages, after where they are."""
        leaves = jax.tree_util.tree_leaves_with_path((self.model, self.state))
        return [(jax.tree_util.keystr(path[1:]), x) for path, x in leaves if _is_float(x)]


class FunctionsModel(Model):
    """A model of a draft in functions.

    Args:
        draft: the draft.
        module: of PyTorch.
        args: that it was made with, by position.
        kwargs: those by name.
        recording: of the program's run.
    """

    def __init__(
        self, draft: ModuleType, module: torch.nn.Module, args: Any, kwargs: Mapping[str, Any],
        recording: Recording,
    ) -> None:  # fmt: skip
        super().__init__(draft, module)
        name = type(module).__name__
        *names, settings = recording.functions[name]
        make, self.function = (getattr(draft, n, None) for n in names)
        self.settings = own_settings(module, settings)
        self.changes = bool(recording.changed.get(f"{name}.__call__"))
        self.renamed = recording.renamed
        made = make(jax.random.key(0), *args, **kwargs) if make else {}
        self.model, self.state = getattr(draft, "split_state", lambda x: (x, {}))(made)
        self.stateful = bool(jax.tree.leaves(self.state))

    def loaded(self, values: Mapping[str, Any], dtype: Any) -> Model:
        trees = (as_wide(tree, dtype) for tree in (self.model, self.state))
        return self.replaced(*(self.draft.from_torch(tree, values) for tree in trees))

    def called(self, *args: Any, **kwargs: Any) -> Any:
        assert self.function is not None
        takes = inspect.signature(self.function).parameters
        kwargs = {**kwargs, **self.settings}
        if "key" in takes and (self.module.training or takes["key"].default is not None):
            kwargs["key"] = jax.random.key(0)
        if "training" in takes:
            kwargs["training"] = self.module.training
        given = [v for n, v in (("params", self.model), ("state", self.state)) if n in takes]
        result = self.function(*given, *args, **kwargs)
        return result[0] if self.changes else result


def own_settings(module: torch.nn.Module, settings: Any) -> dict[str, Any]:
    """The settings of a module that differ from those that its function has by default."""
    found = dict[str, Any]()
    for name, default, _, (path, setting) in settings:
        (layer,) = Resolving({"self": [module]}, {}).modules(ast.parse(path, mode="eval").body)
        value = layer_call(layer, "", "")[2].get(setting, default)
        found |= {name: value} if value != default else {}
    return found


def as_wide(tree: Any, dtype: Any) -> Any:
    """A tree with its numbers as wide as another."""
    return jax.tree.map(lambda x: x.astype(dtype) if _is_float(x) else x, tree)


def _is_float(x: Any) -> bool:
    return hasattr(x, "dtype") and bool(jnp.issubdtype(x.dtype, jnp.inexact))
