"""What a training step in PyTorch holds: modules, optimizers, schedules, tensors and counters."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.training.reached import Reached, free


@dataclass
class State:
    """Everything that a step changes, as it is at one moment.

    Attributes:
        tensors: parameters, buffers and other tensors, by name.
        gradients: of those that have one.
        optimizers: of each, its state by parameter, and the options of its groups.
        others: the attributes of schedules and the like.
        kept: what the step keeps in variables, attributes, lists, dictionaries and generators.
    """

    tensors: dict[str, torch.Tensor]
    gradients: dict[str, torch.Tensor]
    optimizers: list[tuple[dict[Any, Any], list[dict[str, Any]]]]
    others: list[dict[str, Any]]
    kept: list[Any]


class Held:
    """What can be reached from a function through its variables, attributes and own functions.

    Attributes:
        root: the only module, if there is one.
        optimizers: the optimizers.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._reached = Reached(function)
        self.optimizers = self._reached.optimizers
        modules = list(self._reached.modules.values())
        self.root = modules[0] if len(modules) == 1 else None

    def named(self) -> dict[str, torch.Tensor]:
        """The parameters, buffers and other tensors by name; each once."""
        found: dict[str, torch.Tensor] = {}
        for key, module in self._reached.modules.items():
            prefix = f"{key}." if len(self._reached.modules) > 1 else ""
            found |= {f"{prefix}{name}": x for name, x in module.named_parameters()}
            found |= {f"{prefix}{name}": x for name, x in module.named_buffers()}
        held = {id(x) for x in found.values()}
        for key, tensor in self._reached.tensors.items():
            if id(tensor) not in held:  # a copy of a parameter may be kept by its name
                found[free(key, found)] = tensor
                held.add(id(tensor))
        for n, optimizer in enumerate(self.optimizers):
            for k, x in enumerate(x for group in optimizer.param_groups for x in group["params"]):
                if id(x) not in held:  # of a module that no variable names
                    found[f"optimizer {n} parameter {k}"] = x
                    held.add(id(x))
        return found

    def take(self) -> State:
        """A copy of everything as it is now."""
        named = self.named()
        known = self._known()
        return State(
            {name: x.detach().clone() for name, x in named.items()},
            {name: x.grad.detach().clone() for name, x in named.items() if x.grad is not None},
            [
                (
                    {p: copy.deepcopy(dict(kept), dict(known)) for p, kept in opt.state.items()},
                    [copy.deepcopy(_options(group)) for group in opt.param_groups],
                )
                for opt in self.optimizers
            ],
            [copy.deepcopy(vars(other), dict(known)) for other in self._reached.others],
            [self._copied(slot.get(), known) for slot in self._reached.slots],
        )

    def _copied(
        self,
        value: Any,
        known: dict[int, Any],
        convert: Callable[..., torch.Tensor] = torch.Tensor.clone,
    ) -> Any:
        """What is kept in one place; what is held elsewhere too stays the same object."""
        if isinstance(value, dict):
            return {key: self._copied(x, known, convert) for key, x in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self._copied(x, known, convert) for x in value)
        if id(value) in known:
            return value
        if isinstance(value, torch.Tensor):
            return convert(value.detach().clone())
        try:
            return copy.deepcopy(value, dict(known))
        except Exception:  # a lock, an open file
            return value

    @contextmanager
    def swapped(self, state: State, convert: Callable[..., torch.Tensor]) -> Iterator[None]:
        """Let everything be as in a state inside the block, with memory of its own.

        Args:
            state: is not changed.
            convert: gives a tensor another dtype; it is told the name that it has, if it has one.
        """
        restore = self._restoring()
        try:
            self._load(state, convert)
            yield
        finally:
            restore()

    def _load(self, state: State, convert: Callable[..., torch.Tensor]) -> None:
        def converted(kept: Any) -> Any:
            return convert(kept.clone()) if isinstance(kept, torch.Tensor) else copy.deepcopy(kept)

        for name, tensor in self.named().items():
            tensor.grad = None
            tensor.data = convert(state.tensors[name].clone(), name)
            if name in state.gradients:
                tensor.grad = convert(state.gradients[name].clone(), name)
        for optimizer, (kept, groups) in zip(self.optimizers, state.optimizers, strict=True):
            optimizer.state.clear()
            for parameter, entries in kept.items():
                optimizer.state[parameter] = {k: converted(x) for k, x in entries.items()}
            for group, options in zip(optimizer.param_groups, groups, strict=True):
                group |= copy.deepcopy(options)
                # Parameter by parameter: what is computed for many at once is not recorded.
                group |= {k: False for k in ("foreach", "fused") if k in group}
        known = self._known()
        for other, attributes in zip(self._reached.others, state.others, strict=True):
            vars(other).update(copy.deepcopy(attributes, dict(known)))
        for slot, kept in zip(self._reached.slots, state.kept, strict=True):
            slot.put(self._copied(kept, known, convert))

    def _restoring(self) -> Callable[[], None]:
        """A function that lets everything be as it is now."""
        tensors = [(x, x.data, x.grad) for x in self.named().values()]
        parts = [part for module in self._reached.modules.values() for part in module.modules()]
        modules = [(part, part.training, dict(part._buffers)) for part in parts]
        optimizers = [
            (opt, dict(opt.state), [_options(group) for group in opt.param_groups])
            for opt in self.optimizers
        ]
        others = [(other, dict(vars(other))) for other in self._reached.others]
        slots = [(slot.put, _shallow(slot.get())) for slot in self._reached.slots]

        def restore() -> None:
            for part, training, buffers in modules:
                part.training = training
                part._buffers.update(buffers)
            for tensor, data, gradient in tensors:
                tensor.grad = None
                tensor.data = data
                tensor.grad = gradient
            for optimizer, kept, groups in optimizers:
                optimizer.state.clear()
                optimizer.state.update(kept)
                for group, options in zip(optimizer.param_groups, groups, strict=True):
                    group.update(options)
            for other, attributes in others:
                vars(other).clear()
                vars(other).update(attributes)
            for put, kept in slots:
                put(kept)

        return restore

    def _known(self) -> dict[int, Any]:
        """What a copy of something that is kept goes on using, for ``copy.deepcopy``."""
        return {id(x): x for x in (*self._reached.objects, *self.named().values())}


def _options(group: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in group.items() if key != "params"}


def _shallow(kept: Any) -> Any:
    """What is kept now: the same objects, in a container of its own."""
    return copy.copy(kept) if isinstance(kept, dict | list | np.ndarray) else kept
