"""What a step can reach: through its variables, its attributes, and the functions that it calls."""

import dis
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.readers_code import is_readers

_MANY = 1000  # of a list or a dictionary are looked at


@dataclass(frozen=True)
class Slot:
    """Where a step keeps something: a way to read it, and one to write it."""

    get: Callable[[], Any]
    put: Callable[[Any], object]


class Reached:
    """What a function reaches through its variables, attributes and own functions.

    Attributes:
        modules: by name, without those that are parts of others.
        tensors: by name.
        optimizers: in the order in which they are met.
        others: schedules and the like.
        slots: where a step keeps what is none of these, such as a counter.
        objects: everything that was met.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.modules: dict[str, torch.nn.Module] = {}
        self.tensors: dict[str, torch.Tensor] = {}
        self.optimizers: list[torch.optim.Optimizer] = []
        self.others: list[Any] = []
        self.slots = [
            Slot(random.getstate, random.setstate),
            Slot(np.random.get_state, np.random.set_state),
        ]
        self.objects: list[Any] = []
        self._walk(function)
        parts = {
            id(part)
            for module in self.modules.values()
            for part in module.modules()
            if part is not module
        }
        self.modules = {k: m for k, m in self.modules.items() if id(m) not in parts}

    def _walk(self, function: Callable[..., Any]) -> None:
        pending: deque[tuple[str, Any]] = deque([("", function)])
        seen = set[int]()
        while pending:
            name, x = pending.popleft()
            if id(x) in seen or isinstance(x, ModuleType):
                continue
            seen.add(id(x))
            self.objects.append(x)
            if isinstance(x, type):
                if _is_own(x):
                    self.slots += _counters_of(x, vars(x))
                continue
            if isinstance(x, torch.nn.Module):
                self.modules[free(name or type(x).__name__, self.modules)] = x
                own = {key: y for key, y in vars(x).items() if not key.startswith("_")}
                pending += own.items()
                self.slots += _counters_of(x, own)
            elif isinstance(x, torch.Tensor):
                self.tensors[free(name, self.tensors)] = x
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
                self.slots.append(Slot(x.get_state, x.set_state))
            elif isinstance(x, np.random.Generator):
                bits = x.bit_generator
                self.slots.append(
                    Slot(partial(getattr, bits, "state"), partial(setattr, bits, "state"))
                )
            elif not hasattr(x, "__dict__"):
                continue
            elif hasattr(x, "state_dict") and hasattr(x, "load_state_dict"):
                self.others.append(x)
                pending += vars(x).items()
            elif _is_own(type(x)):
                pending += [*vars(x).items(), ("", type(x))]
                self._add_container(vars(x))

    def _add_container(self, x: Any) -> None:
        if np.size(x) > _MANY if isinstance(x, np.ndarray) else len(x) > _MANY:  # data, no state
            return
        self.slots.append(Slot(lambda: x, partial(_fill, x)))

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
                self.slots.append(Slot(get, put))
        if is_readers(function.__code__.co_filename):
            outside = function.__globals__
            for name in _names(function.__code__):
                if name in outside:
                    found.append((name, outside[name]))
                    if _is_counter(outside[name]):
                        put = partial(outside.__setitem__, name)
                        self.slots.append(Slot(partial(outside.get, name), put))
        return found


def _names(code: CodeType) -> list[str]:
    """The global names of a function and of those inside it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    own = [i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"]
    return [*dict.fromkeys(own), *(name for const in inner for name in _names(const))]


def _fill(container: Any, kept: Any) -> None:
    """Let a list, a dictionary or an array have other contents."""
    if isinstance(container, dict):
        container.clear()
        container.update(kept)
    else:
        container[... if isinstance(container, np.ndarray) else slice(None)] = kept


def _is_counter(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _counters_of(owner: Any, attributes: Mapping[str, Any]) -> Iterator[Slot]:
    for key, value in attributes.items():
        if _is_counter(value):
            yield Slot(partial(getattr, owner, key), partial(setattr, owner, key))


def _is_own(kind: type) -> bool:
    """Whether a class is the reader's."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return kind.__module__ == "__main__" or bool(file and is_readers(file))


def free(name: str, taken: dict[str, Any]) -> str:
    """A name that is not taken."""
    if name not in taken:
        return name
    return next(f"{name} {n}" for n in range(2, len(taken) + 3) if f"{name} {n}" not in taken)
