"""What a training step in PyTorch holds: modules, optimizers, schedules, tensors and counters."""

import copy
import dis
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.readers_code import is_readers

_MANY = 1000  # of a list or a dictionary are looked at


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


@dataclass(frozen=True)
class _Place:
    """Where a step keeps something: a way to read it, and one to write it."""

    get: Callable[[], Any]
    put: Callable[[Any], object]


class Held:
    """What can be reached from a function through its variables, attributes and own functions.

    Attributes:
        root: the only module, if there is one.
        optimizers: the optimizers.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.optimizers: list[torch.optim.Optimizer] = []
        self._modules: dict[str, torch.nn.Module] = {}
        self._tensors: dict[str, torch.Tensor] = {}
        self._others: list[Any] = []
        self._places = [
            _Place(random.getstate, random.setstate),
            _Place(np.random.get_state, np.random.set_state),
        ]
        self._reached: list[Any] = []
        self._walk(function)
        parts = {
            id(part)
            for module in self._modules.values()
            for part in module.modules()
            if part is not module
        }
        self._modules = {k: m for k, m in self._modules.items() if id(m) not in parts}
        self.root = next(iter(self._modules.values())) if len(self._modules) == 1 else None

    def named(self) -> dict[str, torch.Tensor]:
        """The parameters, buffers and other tensors by name; each once."""
        found: dict[str, torch.Tensor] = {}
        for key, module in self._modules.items():
            prefix = f"{key}." if len(self._modules) > 1 else ""
            found |= {f"{prefix}{name}": x for name, x in module.named_parameters()}
            found |= {f"{prefix}{name}": x for name, x in module.named_buffers()}
        held = {id(x) for x in found.values()}
        for key, tensor in self._tensors.items():
            if id(tensor) not in held:  # a copy of a parameter may be kept by its name
                found[_free(key, found)] = tensor
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
            [copy.deepcopy(vars(other), dict(known)) for other in self._others],
            [self._copied(place.get(), known) for place in self._places],
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
        for other, attributes in zip(self._others, state.others, strict=True):
            vars(other).update(copy.deepcopy(attributes, dict(known)))
        for place, kept in zip(self._places, state.kept, strict=True):
            place.put(self._copied(kept, known, convert))

    def _restoring(self) -> Callable[[], None]:
        """A function that lets everything be as it is now."""
        tensors = [(x, x.data, x.grad) for x in self.named().values()]
        parts = [part for module in self._modules.values() for part in module.modules()]
        modules = [(part, part.training, dict(part._buffers)) for part in parts]
        optimizers = [
            (opt, dict(opt.state), [_options(group) for group in opt.param_groups])
            for opt in self.optimizers
        ]
        others = [(other, dict(vars(other))) for other in self._others]
        places = [(place.put, _shallow(place.get())) for place in self._places]

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
            for put, kept in places:
                put(kept)

        return restore

    def _known(self) -> dict[int, Any]:
        """What a copy of something that is kept goes on using, for ``copy.deepcopy``."""
        return {id(x): x for x in (*self._reached, *self.named().values())}

    def _walk(self, function: Callable[..., Any]) -> None:
        pending: deque[tuple[str, Any]] = deque([("", function)])
        seen = set[int]()
        while pending:
            name, x = pending.popleft()
            if id(x) in seen or isinstance(x, ModuleType):
                continue
            seen.add(id(x))
            self._reached.append(x)
            if isinstance(x, type):
                if _is_own(x):
                    self._places += _counters_of(x, vars(x))
                continue
            if isinstance(x, torch.nn.Module):
                self._modules[_free(name or type(x).__name__, self._modules)] = x
                own = {key: y for key, y in vars(x).items() if not key.startswith("_")}
                pending += own.items()
                self._places += _counters_of(x, own)
            elif isinstance(x, torch.Tensor):
                self._tensors[_free(name, self._tensors)] = x
            elif isinstance(x, torch.optim.Optimizer):
                self.optimizers.append(x)
            elif isinstance(x, partial):
                pending += [("", x.func), *((name, y) for y in x.args), *x.keywords.items()]
            elif isinstance(x, MethodType):
                pending += [("", x.__self__), ("", x.__func__)]
            elif isinstance(x, FunctionType):
                pending += self._variables(x)
            elif isinstance(x, dict):
                self._add_container(x)
                pending += [(str(key), y) for key, y in islice(x.items(), _MANY)]
            elif isinstance(x, list | tuple):
                if isinstance(x, list):
                    self._add_container(x)
                pending += [(f"{name}.{n}", y) for n, y in enumerate(x[:_MANY])]
            elif isinstance(x, np.ndarray):
                self._add_container(x)
            elif isinstance(x, torch.Generator):
                self._places.append(_Place(x.get_state, x.set_state))
            elif isinstance(x, np.random.Generator):
                bits = x.bit_generator
                self._places.append(
                    _Place(partial(getattr, bits, "state"), partial(setattr, bits, "state"))
                )
            elif not hasattr(x, "__dict__"):
                continue
            elif hasattr(x, "state_dict") and hasattr(x, "load_state_dict"):
                self._others.append(x)
                pending += vars(x).items()
            elif _is_own(type(x)):
                pending += [*vars(x).items(), ("", type(x))]
                self._add_container(vars(x))

    def _add_container(self, x: Any) -> None:
        if np.size(x) > _MANY if isinstance(x, np.ndarray) else len(x) > _MANY:  # data, no state
            return
        self._places.append(_Place(lambda: x, partial(_fill, x)))

    def _variables(self, function: FunctionType) -> list[tuple[str, Any]]:
        """What a function of the reader's reads from outside, with its names."""
        found: list[tuple[str, Any]] = [("", getattr(function, "__wrapped__", None))]
        # A compiled function keeps the one that it was made of in a variable.
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                found.append((name, cell.cell_contents))
            except ValueError:  # not assigned yet
                continue
            if _is_counter(cell.cell_contents):
                get, put = (partial(of, cell, "cell_contents") for of in (getattr, setattr))
                self._places.append(_Place(get, put))
        if is_readers(function.__code__.co_filename):
            outside = function.__globals__
            for name in _names(function.__code__):
                if name in outside:
                    found.append((name, outside[name]))
                    if _is_counter(outside[name]):
                        put = partial(outside.__setitem__, name)
                        self._places.append(_Place(partial(outside.get, name), put))
        return found


def _names(code: CodeType) -> list[str]:
    """The global names of a function and of those inside it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    own = [i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"]
    return [*dict.fromkeys(own), *(name for const in inner for name in _names(const))]


def _options(group: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in group.items() if key != "params"}


def _fill(container: Any, kept: Any) -> None:
    """Let a list, a dictionary or an array have other contents."""
    if isinstance(container, dict):
        container.clear()
        container.update(kept)
    else:
        container[... if isinstance(container, np.ndarray) else slice(None)] = kept


def _shallow(kept: Any) -> Any:
    """What is kept now: the same objects, in a container of its own."""
    return copy.copy(kept) if isinstance(kept, dict | list | np.ndarray) else kept


def _is_counter(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _counters_of(owner: Any, attributes: Mapping[str, Any]) -> Iterator[_Place]:
    for key, value in attributes.items():
        if _is_counter(value):
            yield _Place(partial(getattr, owner, key), partial(setattr, owner, key))


def _is_own(kind: type) -> bool:
    """Whether a class is the reader's."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ == "__main__" or bool(file and is_readers(file))


def _free(name: str, taken: dict[str, Any]) -> str:
    """A name that is not taken."""
    if name not in taken:
        return name
    return next(f"{name} {n}" for n in range(2, len(taken) + 3) if f"{name} {n}" not in taken)
