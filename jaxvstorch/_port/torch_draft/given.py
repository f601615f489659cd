"""The arguments of the program's calls, as its draft in PyTorch takes them."""

import ast
import inspect
from types import ModuleType
from typing import Any

import numpy as np
import torch

from jaxvstorch._frameworks.private.torch import pytree
from jaxvstorch._port.from_jax.arguments import function_argument, name_of_function
from jaxvstorch._port.map import paste_torch
from jaxvstorch._port.torch_draft import arrays, kinds
from jaxvstorch._port.torch_draft.classes import Classes
from jaxvstorch._port.torch_draft.optimizers import WithParameters
from jaxvstorch._port.torch_draft.recording import OwnCall, Recording
from jaxvstorch._port.torch_draft.training import OPTIMIZER
from jaxvstorch._port.torch_draft.values import Frozen


class Given:
    """What one function or method of a draft is called with."""

    def __init__(
        self, draft: ModuleType, recording: Recording, rewriter: Classes, name: str
    ) -> None:
        self.draft, self.recording, self.rewriter, self.name = draft, recording, rewriter, name
        self.model: Any = None
        self.optimizer: Any = None
        self.trees: list[Any] = []
        self.largest: dict[str, float] = {}  # the share of each gradient in the largest one

    def _inner_function(self, call: OwnCall, outer: str, name: str) -> tuple[Any, Any]:
        """A function of the draft's that is inside another one, with what it reads of that."""
        tree = ast.parse(inspect.getsource(getattr(self.draft, outer, None) or self.draft))
        found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
        if len(found) != 1:
            raise LookupError(f"it is inside of {outer}")
        names = [a.arg for a in [*found[0].args.args, *found[0].args.kwonlyargs]]
        self._values(call.given, names)  # makes the model that the optimizer is for
        read = {n.id for n in ast.walk(found[0]) if isinstance(n, ast.Name)} - {*names}
        scope = {**vars(self.draft), **self._values(call.around, read)}
        exec(compile(ast.Module([*found], []), "<draft>", "exec"), scope)
        return scope[name], names

    def _values(self, given: dict[str, Frozen], names: Any) -> dict[str, Any]:
        """The arguments by the draft's names, in which an optimizer's state is the optimizer."""
        values: dict[str, Any] = {}
        for name, frozen in given.items():
            if frozen.kind in (kinds.KEY, kinds.TRANSFORMATION, kinds.SCHEDULE):
                continue
            if frozen.kind == kinds.OPT_STATE:
                continue
            new = "model" if frozen.kind == kinds.VARIABLES else name
            if new in names and new not in values:
                values[new] = self.value(frozen)
        for name, frozen in given.items():
            if frozen.kind == kinds.OPT_STATE and OPTIMIZER in names:
                values[OPTIMIZER] = self._optimizer()
            if frozen.kind == kinds.OPTIMIZER:
                values[name] = self._optimizer()
            if frozen.kind == kinds.TRAIN_STATE:
                values[name] = self.draft.TrainState(self.model, self._optimizer())
        return values

    def value(self, frozen: Frozen) -> Any:
        """A value of the program's as the draft takes it."""
        if frozen.kind == kinds.FUNCTION:
            name = getattr(inspect.unwrap(frozen.value), "__name__", "")
            return getattr(self.draft, name, None) or self._setting(frozen.value)
        if frozen.kind in (kinds.MODULE, kinds.VARIABLES, kinds.TRAIN_STATE):
            if self.model is None:
                self.model = self._model(frozen)
            return self.model
        if frozen.kind == kinds.OPTIMIZER:
            return None
        if frozen.kind == kinds.METRIC:
            return self._metric(frozen)
        if frozen.kind in (kinds.ARRAY, kinds.NUMPY):
            array = np.array(frozen.value)
            narrow = frozen.kind == kinds.NUMPY and array.dtype == np.float64  # as JAX takes it
            return torch.from_numpy(array.astype(np.float32) if narrow else array)
        if frozen.kind.startswith("tree"):
            if self.trees and arrays.is_floating(frozen):
                return self.trees[0]
            tree = self._tree(frozen)
            if arrays.is_floating(frozen):
                self.trees.append(tree)
            return tree
        return frozen.value

    def _metric(self, frozen: Frozen) -> Any:
        """A metric of flax's as the draft's, with what it has summed."""
        kind = getattr(self.draft, frozen.made, None)
        if kind is None:
            raise LookupError(f"it takes a metric {frozen.made}, which a draft has not")
        state = frozen.value
        if any(isinstance(part, Frozen) for part in state.values()):
            return kind(**{name: self._metric(part) for name, part in state.items()})
        made = kind()
        for name, value in state.items():
            is_array = hasattr(value, "dtype")
            setattr(made, name, torch.from_numpy(np.array(value)) if is_array else value)
        return made

    def _tree(self, frozen: Frozen) -> Any:
        parts = {key: self._leaf(part) for key, part in frozen.value.items()}
        kind: Any = frozen.made[0] if frozen.made else dict
        if issubclass(kind, dict):
            return parts
        if hasattr(kind, "_fields"):
            own = getattr(self.draft, kind.__name__, kind)
            return own(*parts.values())
        return kind(parts.values())

    def _leaf(self, frozen: Frozen) -> Any:
        return self._tree(frozen) if frozen.kind.startswith("tree") else self.value(frozen)

    def _model(self, frozen: Frozen) -> Any:
        made = frozen.made or next(
            (m[:3] for m in self.recording.makings
             if m[0] in vars(self.draft) and kinds.is_module(m[3])), None
        )  # fmt: skip
        if made is None or not hasattr(self.draft, made[0]):
            raise LookupError("it was not seen what its module is made with")
        name, args, kwargs = made
        own = inspect.signature(getattr(self.draft, name)).parameters
        args = [a for a in args if self.recording.kind.of(a) != kinds.KEY]
        kwargs = {k: v for k, v in kwargs.items() if k in own}
        model = getattr(self.draft, name)(
            *map(self._setting, args), **{k: self._setting(v) for k, v in kwargs.items()}
        )  # fmt: skip
        return self.draft.from_jax(model, frozen.value).train(frozen.training)

    def _setting(self, value: Any) -> Any:
        if (name := name_of_function(value)) is not None:
            return function_argument(name).value
        return value

    def _optimizer(self) -> Any:
        """The optimizer that the draft makes, for this model."""
        if self.optimizer is None:
            scope = {"paste": paste_torch, **vars(self.draft)}
            for name, value in self.recording.program.globals().items():
                if isinstance(value, int | float | str) and scope.get(name) is None:
                    scope[name] = value
            for (line, name), value in self.recording.values.items():
                if line == self.rewriter.made_scope:
                    scope[name] = value
            statements = self.rewriter.made_optimizers
            if not statements:
                raise LookupError("its optimizer was not seen to be made")
            parameters = self.model.parameters() if self.model is not None else None
            scope["_parameters"] = list(
                parameters if parameters is not None
                else [x.requires_grad_() for x in pytree.tree_leaves(self.trees[0])]
            )  # fmt: skip
            scope["_named"] = [*self.model.named_parameters()] if self.model is not None else []
            placing = WithParameters(self.rewriter.makers)
            new = ast.fix_missing_locations(placing.visit(
                ast.parse("\n".join(map(ast.unparse, statements)))))  # fmt: skip
            scope["_model"] = self.trees[0] if self.model is None else self.model
            if self.trees and placing.tree.isidentifier():
                scope[placing.tree] = self.trees[0]
            exec(compile(new, "<draft>", "exec"), scope)
            self.optimizer = scope[self.rewriter.made_name]
        return self.optimizer

    def _hand_over(self) -> None:
        """Give the draft the globals that its guarded part makes."""
        for name, value in self.recording.program.globals().items():
            if getattr(self.draft, name, None) is not None:
                continue
            kind = self.recording.kind.of(value)
            if kind in (kinds.MODULE, kinds.VARIABLES) and self.model is not None:
                setattr(self.draft, name, self.model)
            elif kind in (kinds.ARRAY, kinds.NUMPY):
                setattr(self.draft, name, torch.from_numpy(np.array(value)))
            elif isinstance(value, int | float | str | tuple):
                setattr(self.draft, name, value)
