"""What a run recorded of a program: the first calls of its parts, and the steps of its training."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CellType, FunctionType
from typing import Any

import torch

from jaxvstorch._port.map.running.call import flat


@dataclass
class Given:
    """The arguments that a module was made with, and those of the modules among them.

    Attributes:
        args: by position.
        kwargs: by name.
        inner: of each module among them that is the program's, by identity.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    inner: "dict[int, Given]" = field(default_factory=dict)


@dataclass
class FirstCall:
    """The first call of one of the program's functions or modules.

    Attributes:
        name: of the function, or of the module's class.
        function: the function; a module as it was before the call.
        args: copies of its positional arguments.
        kwargs: copies of its arguments by name.
        returned: whether it returned.
        made_with: the arguments that a module was made with, if that was seen.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    returned: bool = False
    made_with: "Given | None" = None


@dataclass
class Steps:
    """The first steps of one place in a program that calls ``backward``.

    Attributes:
        kinds: what the names that can be read there are: of modules, arrays, optimizers, others.
        before: copies of the modules and optimizers before the first step, by name.
        arrays: copies of the arrays that could be read at each step, by name.
        losses: the loss at each step.
        namespace: what could be read there, as it was at the end of the run.
        drafted: the draft's function for it.
    """

    kinds: dict[str, str]
    before: dict[str, Any]
    arrays: list[dict[str, Any]] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    namespace: dict[str, Any] = field(default_factory=dict)
    drafted: "DraftedStep | None" = None


@dataclass
class DraftedStep:
    """The draft's function for a step.

    Attributes:
        name: of the function.
        parameters: of the function, in order.
        models: the names of the modules that it trains.
        optimizer: the name of the optimizer.
        source: the program's lines that compute ``loss_of_step``.
        changes: the program's lines that change the gradients.
        fields: what some parameters are in the program, such as ``args.beta``.
    """

    name: str
    parameters: list[str]
    models: list[str]
    optimizer: str
    source: str
    changes: str
    fields: dict[str, str]


def kind_of(value: Any) -> str:
    """What a name stands for, as far as a training step is concerned."""
    if isinstance(value, torch.nn.Module):
        return "module" if any(True for _ in value.parameters()) else "function"
    if isinstance(value, torch.optim.Optimizer):
        return "optimizer"
    leaves = list(flat(value))
    if leaves and all(isinstance(leaf, torch.Tensor) for leaf in leaves):
        return "array"
    if value is None or isinstance(value, bool | int | float | str):
        return "setting"
    if leaves and all(isinstance(leaf, int | float) for leaf in leaves):
        return "numbers"
    return "other"


def deeply_copied(values: dict[str, Any], known: dict[int, Any] | None = None) -> dict[str, Any]:
    """Deep copies of modules and optimizers, by name.

    A function that a module keeps, such as ``self.f = lambda x: m(x)``, reads the copies too:
    ``copy.deepcopy`` takes functions as they are.

    Args:
        values: the modules and optimizers.
        known: copies that there are, by the identity of the original.
    """
    copies = dict(known or {})
    new = copy.deepcopy(values, copies)
    modules = [m for v in new.values() if isinstance(v, torch.nn.Module) for m in v.modules()]
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__closure__:
                held = [cell.cell_contents for cell in value.__closure__]
                cells = tuple(CellType(copies.get(id(one), one)) for one in held)
                own = (value.__globals__, value.__name__, value.__defaults__, cells)
                vars(module)[name] = FunctionType(value.__code__, *own)
    return new


def kept(value: Any) -> Any:
    """An argument as it is now: settings and lists as copies, which a program can change."""
    if isinstance(value, torch.nn.Module | torch.Tensor | type) or callable(value):
        return value
    try:
        return copy.copy(value)
    except Exception:  # such as a generator
        return value
