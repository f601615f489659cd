"""The settings of a model's configuration that what ran reads, as small classes."""

import ast
from typing import Any

import torch

from jaxvstorch._port.library.gathering import Gathering
from jaxvstorch._port.library.watching import OTHER, constant


class Settings:
    """Objects such as ``config``, which a model is made with, as classes with what is read.

    Args:
        gathering: whose members read them.

    Attributes:
        written: the class of each such object.
    """

    def __init__(self, gathering: Gathering) -> None:
        self.gathering = gathering
        self.objects: dict[type, Any] = {}
        self.names: dict[type, set[str]] = {}
        for _, values in gathering.watch.roots:
            for name, value in values.items():
                if name != "self" and is_settings(value):
                    self._add(name, value)
        self.written = list(self.objects)

    def _add(self, name: str, value: Any) -> None:
        cls = type(value)
        self.objects.setdefault(cls, value)
        self.names.setdefault(cls, set()).add(name)

    def of_parameter(self, name: str) -> type | None:
        """The class of the settings that a parameter of that name takes."""
        return next((cls for cls, names in self.names.items() if name in names), None)

    def annotate(self) -> None:
        """Give the parameters that take settings their class."""
        for member in self.gathering.members.values():
            for argument in member.node.args.args:
                cls = self.of_parameter(argument.arg)
                if cls is not None:
                    argument.annotation = ast.Name(cls.__name__, ast.Load())

    def classes(self) -> list[str]:
        """The source of each class."""
        return [self._class(cls, value) for cls, value in self.objects.items()]

    def _class(self, cls: type, value: Any) -> str:
        lines = []
        for name in dict.fromkeys([*self._read(cls), *self._read_outside(value)]):
            found = getattr(value, name, OTHER)
            kind = "object" if found is None else type(found).__name__
            if isinstance(found, list | tuple | dict):
                lines.append(f"    {name}: {kind} = field(default_factory=lambda: {found!r})")
            elif constant(found) is not OTHER:
                lines.append(f"    {name}: {kind} = {found!r}")
        head = f'@dataclass\nclass {cls.__name__}:\n    """The settings of this configuration."""'
        return "\n\n".join([head, *filter(None, ["\n".join(lines)])])

    def _read_outside(self, value: Any) -> list[str]:
        """The settings that a program may read, by their names."""
        return [name for name in self.gathering.watch.read_outside if name in vars(value)]

    def _read(self, cls: type) -> list[str]:
        """The attributes that the members read of settings."""
        names = dict[str, None]()
        for member in self.gathering.members.values():
            for node in ast.walk(member.node):
                match node:
                    case ast.Attribute(value=ast.Name(id=of) | ast.Attribute(attr=of), attr=attr):
                        if of in self.names[cls]:
                            names[attr] = None
                    case ast.Call(
                        func=ast.Name("getattr" | "hasattr"),
                        args=[ast.Name(id=of) | ast.Attribute(attr=of), ast.Constant(attr), *_],
                    ) if of in self.names[cls]:
                        names[str(attr)] = None
        return list(names)


def is_settings(value: Any) -> bool:
    """Whether a value is an object of a library with settings."""
    plain = isinstance(value, torch.Tensor | torch.nn.Module | list | tuple | dict | set)
    return not plain and constant(value) is OTHER and hasattr(value, "__dict__")
