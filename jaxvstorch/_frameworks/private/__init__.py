"""Names that a framework does not promise to keep, and what happens without each of them.

They are listed in ``frameworks/private/<framework>.py``, and used only by way of these lists.
"""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

REFUSED = "explain and ledger refuse, and name what is missing"


class MissingNameError(AttributeError):
    """A version of a framework lacks a private name."""


@dataclass(frozen=True)
class Name:
    """One private name.

    Attributes:
        path: module and name in it, such as ``"torch._dynamo.utils:CleanupHook.create"``.
        without: what happens if it is missing.
    """

    path: str
    without: str = REFUSED

    def get(self) -> Any:
        """The object that has this name.

        Raises:
            MissingNameError: this version lacks it, or has moved it.
        """
        module, _, names = self.path.partition(":")
        try:
            value: Any = importlib.import_module(module)
            for part in names.split(".") if names else ():
                value = _part(value, part)
        except (ImportError, AttributeError) as error:
            raise MissingNameError(self.path) from error
        return value


def _part(value: Any, name: str) -> Any:
    """An attribute; of a class also one that only its instances have."""
    if isinstance(value, type) and not hasattr(value, name) and name in set(_of_instances(value)):
        return None
    return getattr(value, name)


def _of_instances(kind: type) -> Iterator[str]:
    """The attributes that annotations or ``__init__`` give to the instances of a class."""
    for base in kind.__mro__:
        yield from vars(base).get("__annotations__", ())
        yield from getattr(vars(base).get("__init__"), "__code__", _NOTHING).co_names


_NOTHING = compile("", "", "exec")


def taken(names: Mapping[str, Name], key: str) -> Any:
    """The object behind a name of a list; the ``__getattr__`` of the modules that hold the lists.

    Raises:
        MissingNameError: this version lacks it, or has moved it.
    """
    if key not in names:
        raise AttributeError(f"no private name is called {key}")
    return names[key].get()


def assign(names: Mapping[str, Name], key: str, value: Any) -> None:
    """Give another value to a name that is a variable of its module."""
    module, _, variable = names[key].path.partition(":")
    setattr(importlib.import_module(module), variable, value)


def gone(names: Mapping[str, Name]) -> dict[str, str]:
    """The paths that this version lacks, each with what happens without it."""
    missing = {}
    for name in names.values():
        try:
            name.get()
        except MissingNameError:
            missing[name.path] = name.without
    return missing
