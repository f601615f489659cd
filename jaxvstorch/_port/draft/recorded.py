"""What a run recorded of a program: the first calls of its parts, and the steps of its training."""

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CellType, FrameType, FunctionType
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
        takes_rngs: whether the draft's function takes random numbers too.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    returned: bool = False
    made_with: "Given | None" = None
    takes_rngs: bool = False

    @property
    def kind(self) -> str:
        """What tells it from other calls: what the module was made with, and what it is given."""
        made = self.made_with and (self.made_with.args, self.made_with.kwargs)
        return f"{made!r} {len(self.args)} {[*self.kwargs]}"


@dataclass
class Steps:
    """The first steps of one place in a program that calls ``backward``.

    Attributes:
        kinds: what the names that can be read there are: of modules, arrays, optimizers, others.
        before: copies of the modules and optimizers before the first step, by name.
        arrays: copies of the arrays that could be read at each step, by name.
        losses: the loss at each step.
        namespace: what could be read there, as it was at the end of the run.
        adding: the modules and optimizers whose weights had gradients before.
        attributes: those among the names that stand for attributes, such as ``self.model``.
        lists: the texts of lists made elsewhere that held results with gradients.
        drafted: the draft's function for it.
    """

    kinds: dict[str, str]
    before: dict[str, Any]
    arrays: list[dict[str, Any]] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    namespace: dict[str, Any] = field(default_factory=dict)
    adding: set[str] = field(default_factory=set)
    attributes: dict[str, str] = field(default_factory=dict)
    lists: list[str] = field(default_factory=list)
    drafted: "DraftedStep | None" = None


@dataclass
class MadeOptimizer:
    """An optimizer that a program made.

    Attributes:
        optimizer: it.
        groups: the settings that each of its groups of weights was given; none without groups.
        namespace: what could be read there.
        function: the name of the function around, and those of its arguments.
        attributes: those among the names that stand for attributes, such as ``self.model``.
        drafted: the draft's expression for it.
    """

    optimizer: torch.optim.Optimizer
    groups: list[set[str]]
    namespace: dict[str, Any]
    function: tuple[str, tuple[str, ...]]
    attributes: dict[str, str] = field(default_factory=dict)
    drafted: str = ""

    @property
    def modules(self) -> list[str]:
        """The names of the modules whose weights it steps."""
        return holders(weights_of(self.optimizer), self.namespace)

    @property
    def rate_is_set(self) -> bool:
        """Whether the program has set its learning rate, after it was made, or schedules it."""
        given, groups = self.optimizer.defaults.get("lr"), self.optimizer.param_groups
        own = any("lr" in settings for settings in self.groups)
        changed = not own and any(group.get("lr") != given for group in groups)
        return changed or any("initial_lr" in group for group in groups)

    def steps_all_of(self, modules: Iterable[str]) -> bool:
        """Whether it steps every weight of modules that is trained."""
        every = (p for name in modules for p in self.namespace[name].parameters())
        all_of = {id(p) for p in every if p.requires_grad}
        return all_of <= {id(p) for p in weights_of(self.optimizer)}


@dataclass
class Handing:
    """A call that must hand gradients on to where an optimizer takes its step.

    Attributes:
        optimizer: it.
        modules: the text of each of its modules that is given, by the name of the parameter.
        is_step: whether it is the call of ``step``.
    """

    optimizer: torch.optim.Optimizer
    modules: dict[str, str]
    is_step: bool = False


@dataclass
class DraftedStep:
    """The draft's function for a step.

    Attributes:
        name: of the function.
        parameters: of the function, in order.
        models: the names of the modules that it reads, those that it trains first.
        optimizer: the name of the optimizer.
        source: the program's lines that compute ``loss_of_step`` and its gradient.
        changes: the program's lines that change the gradients.
        copied: the names of the modules of which it calls copies; a later step trains them.
        update: the function that takes the step, where this one only adds gradients up.
        update_takes: the parameters of that function, in order.
        returns: the names of the modules whose gradients it returns, and takes no step.
        changing: what gives another value in another step, so that none can be repeated.
    """

    name: str
    parameters: list[str]
    models: list[str]
    optimizer: str
    source: str
    changes: str
    copied: list[str] = field(default_factory=list)
    update: str = ""
    update_takes: list[str] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)
    changing: str = ""


def weights_of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """The weights that an optimizer steps, in the order of its groups."""
    return [p for group in optimizer.param_groups for p in group["params"]]


def has_gradients(value: Any) -> bool:
    """Whether weights of a module or an optimizer have gradients that are not zero."""
    weights = list[torch.Tensor]()
    if isinstance(value, torch.nn.Module):
        weights += value.parameters()
    elif isinstance(value, torch.optim.Optimizer):
        weights += weights_of(value)
    return any(p.grad is not None and bool(p.grad.any()) for p in weights)


def saved_kind(value: Any) -> str:
    """What a ``state_dict`` is of; the class's full name if it is none that a draft saves."""
    kinds = (
        ("module", torch.nn.Module),
        ("optimizer", torch.optim.Optimizer),
        ("schedule", torch.optim.lr_scheduler.LRScheduler),
    )
    of_class = f"{type(value).__module__}.{type(value).__qualname__}"
    return next((kind for kind, known in kinds if isinstance(value, known)), of_class)


def full_name(cls: type) -> str:
    """A class's name after that of its module."""
    return f"{cls.__module__}.{cls.__name__}"


def holders(weights: Iterable[torch.Tensor], namespace: Mapping[str, Any]) -> list[str]:
    """The names of modules that hold weights: one that holds all of them, or several."""
    left = {id(p): None for p in weights}
    modules = {n: m for n, m in namespace.items() if isinstance(m, torch.nn.Module)}
    sizes = {n: sum(1 for _ in m.parameters()) for n, m in modules.items()}
    held = {n: {id(p) for p in m.parameters()} & left.keys() for n, m in modules.items()}
    chosen: list[str] = []
    while left:
        first = next(iter(left))
        able = [n for n in held if first in held[n]]
        if not able:
            return []
        name = max(able, key=lambda n: (len(held[n] & left.keys()), -sizes[n]))
        chosen.append(name)
        left = {p: None for p in left if p not in held[name]}
    return chosen


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


def detached(values: dict[str, Any]) -> dict[int, torch.Tensor]:
    """Copies of results that modules keep, by identity: ``copy.deepcopy`` takes none of them."""
    modules = [m for v in values.values() if isinstance(v, torch.nn.Module) for m in v.modules()]
    held = (leaf for m in modules for value in vars(m).values() for leaf in flat(value))
    results = (x for x in held if isinstance(x, torch.Tensor) and x.grad_fn is not None)
    return {id(x): x.detach().clone() for x in results}


def kept(value: Any) -> Any:
    """An argument as it is now: settings and lists as copies, which a program can change."""
    if isinstance(value, torch.nn.Module | torch.Tensor | type) or callable(value):
        return value
    try:
        return copy.copy(value)
    except Exception:  # such as a generator
        return value


def given_to(module: torch.nn.Module, frame: FrameType) -> Given:
    """The arguments that a module is made with, without those that are the defaults."""
    values = {name: kept(value) for name, value in frame.f_locals.items()}
    functions: Iterator[Any] = (vars(cls).get("__init__") for cls in type(module).__mro__)
    # A library can have put another function around it, whose defaults it has.
    plain = (inspect.unwrap(f) for f in functions if f is not None)
    function = next((f for f in plain if getattr(f, "__code__", None) is frame.f_code), None)
    if function is None:
        names, rest, options, _ = inspect.getargvalues(frame)
        positional = [values[name] for name in names[1:]] + list(values.get(rest or "", ()))
        return Given(tuple(positional), dict(values.get(options or "", {})))
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += values[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= values[name]
        elif values[name] is not parameter.default:
            if parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty:
                kwargs[name] = values[name]
            else:
                args.append(values[name])
    return Given(tuple(args), kwargs)


def given_like(module: torch.nn.Module, made: Mapping[torch.nn.Module, Given]) -> Given | None:
    """What a module was made with; for a copy, what one of its class and shapes was."""
    if module in made:
        return made[module]
    like = [given for other, given in made.items() if _shapes(other) == _shapes(module)]
    return like[0] if like else None


def _shapes(module: torch.nn.Module) -> tuple[type, list[tuple[str, tuple[int, ...]]]]:
    return type(module), [(name, tuple(x.shape)) for name, x in module.state_dict().items()]
