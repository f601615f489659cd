"""Finds the modules of PyTorch that expressions and variables of a draft stand for."""

import ast
from collections.abc import Mapping

import torch

from jaxvstorch._port.draft.styles.program import Modules


class Resolving:
    """What the variables of a function stand for, as far as these are modules.

    Attributes:
        env: the modules of each name; several, where they differ from run to run of a line.
        instances: the modules of each class of the program, by its name.
        evaluated: the names of those that are in evaluation mode.
    """

    def __init__(self, env: Mapping[str, Modules], instances: Mapping[str, Modules]) -> None:
        self.env, self.instances = dict(env), instances
        self.evaluated: set[str] = set()

    def modules(self, node: ast.expr) -> Modules:
        """The modules that an expression can be; empty for anything else."""
        match node:
            case ast.Name(name):
                return self.env.get(name, [])
            case ast.Call(ast.Name(cls)):
                return self.instances.get(cls, [])
            case ast.Attribute(of, name):
                holders = self.modules(of)
                parts = [h if name == "layers" and _is_sequence(h) else getattr(h, name, None)
                         for h in holders]  # fmt: skip
                return [p for p in parts if isinstance(p, torch.nn.Module)]
            case ast.Subscript(of, ast.Constant(int(index))):
                several = [list(m.children()) for m in self.modules(of)]
                return [parts[index] for parts in several if -len(parts) <= index < len(parts)]
            case ast.Subscript(of, _):
                return [part for m in self.modules(of) for part in m.children()]
        return []

    def note(self, node: ast.stmt) -> None:
        """Keep what a statement lets names stand for."""
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(mode, [ast.Name(same), *off])) if (
                name == same and ast.unparse(mode) == "eqx.nn.inference_mode"
            ):
                self.evaluated = (self.evaluated | {name}) - ({name} if off else set())
            case ast.Assign([ast.Name(name)], value):
                self.evaluated -= {name}
                self.env[name] = self.modules(value)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                for target, value in zip(targets, values, strict=False):
                    self.note(ast.Assign([target], value))
            case ast.For(target, over):
                self._loop(target, over)

    def _loop(self, target: ast.expr, over: ast.expr) -> None:
        match target, over:
            case ast.Tuple([_, inner]), ast.Call(ast.Name("enumerate"), [of, *_]):
                self._loop(inner, of)
            case ast.Tuple(targets), ast.Call(ast.Name("zip"), several):
                for inner, of in zip(targets, several, strict=False):
                    self._loop(inner, of)
            case ast.Tuple(targets), _:
                rows = [list(part.children()) for m in self.modules(over) for part in m.children()]
                for i, inner in enumerate(targets):
                    if isinstance(inner, ast.Name):
                        self.env[inner.id] = [row[i] for row in rows if i < len(row)]
            case ast.Name(name), _:
                self.env[name] = [part for m in self.modules(over) for part in m.children()]


def _is_sequence(value: object) -> bool:
    return isinstance(value, torch.nn.Sequential | torch.nn.ModuleList)
