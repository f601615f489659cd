"""Names for the attributes that a function trains with, such as ``self.model``.

A compiled step takes modules, optimizers and settings as arguments, each by a name of its own.
"""

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, ModuleType
from typing import Any

from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from jaxvstorch._port.draft.recorded import holders, kind_of, weights_of
from jaxvstorch._port.map.running.call import flat

_DEPTH = 2  # as in self.config.rate
_OUTSIDE = ("module", "optimizer", "array")  # what is constant of a global object stays its own


def attributes_read(frame: FrameType) -> dict[str, str]:
    """The attributes that a function can read, by names that it does not have itself.

    An optimizer is among them also where it is read by methods of the object that keeps it.

    Returns:
        ``{"model": "self.model"}``; only such optimizers at the top level of a file.
    """
    code = frame.f_code
    read = code.co_names if code.co_flags & inspect.CO_OPTIMIZED else ()
    local, outer = frame.f_locals, frame.f_globals
    globals_read = [name for name in read if name in outer and name not in local]
    found = [
        *(text for name, value in local.items() for text, _ in _parts(name, value, read)),
        *(
            text for name in globals_read for text, part in _parts(name, outer[name], code.co_names)
            if kind_of(part) in _OUTSIDE
        ),
    ]  # fmt: skip
    taken = {*code.co_varnames, *code.co_cellvars, *code.co_freevars, *outer, *vars(builtins)}
    names: dict[str, str] = {}
    for text in sorted(found, key=lambda text: text.count(".")):
        end = text.rpartition(".")[2]
        names[text.replace(".", "_") if end in taken or end in names else end] = text
    return names


def _parts(
    text: str, value: Any, names: tuple[str, ...], depth: int = 1
) -> Iterator[tuple[str, Any]]:
    """The attributes of an object that a step can take, as text and value."""
    if _is_torch(value) or kind_of(value) != "other" or isinstance(value, ModuleType | type):
        return
    for name, part in list(getattr(value, "__dict__", {}).items()):
        if name not in names and not isinstance(part, Optimizer):
            continue
        inner = f"{text}.{name}"
        if kind_of(part) != "other" or callable(part) or _is_torch(part):
            yield inner, part
        elif depth < _DEPTH:
            yield from _parts(inner, part, names, depth + 1)


def _is_torch(value: Any) -> bool:
    """Whether a value is one of PyTorch's own objects, such as a scaler of gradients."""
    return type(value).__module__.partition(".")[0] == "torch"


def values_of(attributes: Mapping[str, str], seen: Mapping[str, Any]) -> dict[str, Any]:
    """The values of attributes, by their names; without those that are gone."""
    values: dict[str, Any] = {}
    for name, text in attributes.items():
        first, *rest = text.split(".")
        value = seen.get(first)
        for part in rest:
            value = getattr(value, part, inspect.Parameter.empty)
        if value is not inspect.Parameter.empty:
            values[name] = value
    return values


def modules_read(frame: FrameType, optimizer: Optimizer, outside: bool = True) -> list[str]:
    """The texts of the modules that an optimizer steps, as a function reads them.

    Args:
        frame: of the function.
        optimizer: it.
        outside: whether names of the file count too.
    """
    attributes = attributes_read(frame)
    weights, own = weights_of(optimizer), frame.f_locals | values_of(attributes, frame.f_locals)
    names = holders(weights, own)
    if outside and not names:
        names = holders(weights, frame.f_globals | own)
    return [attributes.get(name, name) for name in names]


def lists_of_results(frame: FrameType) -> list[str]:
    """The texts of lists that hold results with gradients, and that a function has from outside."""
    code = frame.f_code
    own = code.co_varnames[code.co_argcount :] if code.co_flags & inspect.CO_OPTIMIZED else ()
    values = frame.f_globals | frame.f_locals
    parts = {name: value for name, value in values.items() if name not in own}
    for name, value in list(parts.items()):
        if isinstance(value, Module) or kind_of(value) == "other":
            inner = getattr(value, "__dict__", {})
            parts |= {f"{name}.{n}": v for n, v in inner.items() if isinstance(v, list)}
    return [
        text
        for text, part in parts.items()
        if isinstance(part, list)
        and any(isinstance(x, Tensor) and x.grad_fn is not None for x in flat(part))
    ]


class Named(ast.NodeTransformer):
    """Writes ``model`` for ``self.model`` in a function."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.names = {text: name for name, text in attributes.items()}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = self.names.get(ast.unparse(node))
        if name is not None:
            return ast.copy_location(ast.Name(name, node.ctx), node)
        return self.generic_visit(node)


class Unnamed(ast.NodeTransformer):
    """Writes ``self.model`` for ``model`` again."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.attributes = attributes

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}  # such as a new one
        others = {name: text for name, text in self.attributes.items() if name not in own}
        node.body = Unnamed(others).visit(node.body)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if (text := self.attributes.get(node.id)) is None:
            return node
        new = ast.parse(text, mode="eval").body
        assert isinstance(new, ast.Attribute)
        new.ctx = node.ctx
        return ast.copy_location(new, node)


def attributes_in(
    function: ast.FunctionDef, recorded_at: Callable[[ast.Call], list[Mapping[str, str]]]
) -> dict[str, str]:
    """The names for the attributes that the steps and optimizers of a function read.

    Args:
        function: the function; those inside it have names of their own.
        recorded_at: what was recorded at a call.
    """
    names: dict[str, str] = {}
    for call in _calls(function):
        for attributes in recorded_at(call):
            if any(names.get(name, text) != text for name, text in attributes.items()):
                return {}
            names |= attributes
    return names


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Call):
            yield part
        if not isinstance(part, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield from _calls(part)
