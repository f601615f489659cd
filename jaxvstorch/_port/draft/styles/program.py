"""What a draft in NNX defines, and what its functions need and change."""

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from jaxvstorch._port.draft.recorded import FirstCall
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.seen import layer_name

Module = torch.nn.Module
Modules = list[Module]
_DROP = (torch.nn.Dropout, torch.nn.Dropout1d, torch.nn.Dropout2d, torch.nn.Dropout3d)
_NORM = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d, torch.nn.SyncBatchNorm)
_BASES = ("nnx.Module", "eqx.Module")


@dataclass(frozen=True)
class Effect:
    """What a call needs beside its arguments, and what it gives beside its result.

    Attributes:
        key: whether it draws random numbers.
        always: whether it does so outside of training too.
        changed: the names of the arguments that it returns anew, after its result.
        returns: whether it has a result too.
        takes: what a method as a function takes before its arguments, and the mode.
        settings: those that differ from module to module: the name of the argument for each, its
            default, its value by the module's ``id``, and the layer and its setting.
        evaluates: whether a model is in evaluation, so that the call changes no state.
    """

    key: bool = False
    changed: tuple[str, ...] = ()
    returns: bool = True
    always: bool = False
    takes: frozenset[str] = frozenset()
    evaluates: bool = False
    settings: tuple[tuple[str, Any, tuple[tuple[int, Any], ...], tuple[str, str]], ...] = ()


class Program:
    """The definitions of a draft in NNX.

    Attributes:
        classes: its modules, by name.
        functions: its functions, by name.
        instances: PyTorch's modules of each class, by its name.
        variables: PyTorch's modules by the names of variables that always stand for such.
        optimizers: the names of variables that are optimizers.
        steps: the places of its training steps.
        effects: of each function, by its name, and of each method, after its class.
    """

    def __init__(self, tree: ast.Module, recording: Recording) -> None:
        tree = copy.deepcopy(tree)  # it stays as it is in NNX
        self.tree = tree
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.classes: dict[str, ast.ClassDef] = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                bases = [ast.unparse(b) for b in node.bases]
                if any(b in _BASES or b in self.classes for b in bases):
                    self.classes[node.name] = node
        self.methods = {
            name: {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
            for name, node in self.classes.items()
        }
        roots = [*recording.instances.values(), *_modules_in(recording)]
        self.instances: dict[str, Modules] = {}
        for module in {id(m): m for root in roots for m in root.modules()}.values():
            self.instances.setdefault(type(module).__name__, []).append(module)
        self.variables = _variables(recording)
        made = {
            ast.unparse(node.targets[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and "nnx.Optimizer(" in ast.unparse(node.value)
        }
        steps = [s.drafted for s in recording.steps.values() if s.drafted]
        self.optimizers = made | {s.optimizer for s in steps if s.optimizer}
        self.steps = [*recording.steps.values()]
        self.effects: dict[str, Effect] = {}

    def inner(self, modules: Iterable[Module]) -> Iterator[Module]:
        """Modules, and the layers of those that are sequences."""
        for module in modules:
            if isinstance(module, torch.nn.Sequential):
                yield from self.inner(module)
            else:
                yield module

    def effect_of(self, modules: Iterable[Module]) -> Effect:
        """The effect of calling modules, as far as is known yet."""
        key = changes = always = False
        for module in self.inner(modules):
            own = self.effects.get(f"{self.defining(type(module).__name__)}.__call__", Effect())
            drops = isinstance(module, _DROP)
            drops = drops or layer_name(module) == "torch.nn.MultiheadAttention"
            key, always = key or own.key or drops, always or own.always
            changes = changes or bool(own.changed) or has_averages(module)
        return Effect(key, ("state",) if changes else (), True, always)

    def defining(self, name: str, method: str = "__call__") -> str:
        """The class that defines a method of a class: it, or the first of its bases that does."""
        while name in self.classes and method not in self.methods[name]:
            name = next((b for b in map(ast.unparse, self.classes[name].bases)), "")
        return name

    def is_stateful(self, modules: Iterable[Module]) -> bool:
        """Whether modules keep running averages."""
        return any(has_averages(part) for module in modules for part in module.modules())


def has_averages(module: Module) -> bool:
    """Whether a layer keeps running averages."""
    return isinstance(module, _NORM) and module.track_running_stats


def _modules_in(recording: Recording) -> Iterator[Module]:
    for steps in recording.steps.values():
        yield from (m for m in steps.before.values() if isinstance(m, Module))


def _variables(recording: Recording) -> Mapping[str, Modules]:
    """The modules by the names of variables, where a name always stands for such a one."""
    spaces: list[Mapping[str, Any]] = [s.namespace for s in recording.steps.values()]
    spaces += [m.namespace for made in recording.optimizers.values() for m in made]
    spaces += [arguments(call) for call in recording.first_calls.values()]
    found, others = dict[str, Modules](), set[str]()
    for name, value in (item for space in spaces for item in space.items()):
        if isinstance(value, Module):
            found.setdefault(name, []).append(value)
        else:
            others.add(name)
    return {name: modules for name, modules in found.items() if name not in others}


def arguments(call: FirstCall) -> dict[str, Any]:
    """The arguments of a function's first call, by name."""
    code = getattr(call.function, "__code__", None)
    names = code.co_varnames if code is not None else ()
    return dict(zip(names, call.args, strict=False)) | call.kwargs
