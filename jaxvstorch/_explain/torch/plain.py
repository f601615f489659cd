"""A function that is not compiled: what is put around it, and what it compiles as it is."""

import copy
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import torch

from jaxvstorch._explain.framework_of import compiled_by
from jaxvstorch._explain.ledger_cures import AS_IT_IS, MADE_ONCE, Why
from jaxvstorch._explain.python.unwrap import attribute, original
from jaxvstorch._explain.torch import dynamo, listening
from jaxvstorch._explain.torch.reasons import Reasons


def compiled(function: Any, values: tuple[Any, ...]) -> tuple[Any, str]:
    """A function under ``torch.compile``, and the name of what was put around it."""
    return torch.compile(function), "torch.compile"


class AsCalled:
    """Calls a function that has ``torch.compile`` inside as it is, and says what it compiles."""

    def __init__(self, function: Any, name: str) -> None:
        """``name`` is what was put around the function for the other counts."""
        self._function, self._around = function, name
        self._has_inside = _has_compiled_inside(function, set())
        self._first: set[tuple[str, str, int]] | None = None  # functions compiled in earlier calls

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Why]:
        """What one call compiled again; it gets copies, because it may change its arguments."""
        if not self._has_inside:
            return []
        earlier = {id(metrics): metrics for metrics in dynamo.compilations()}
        reasons = Reasons(self._function, args, kwargs)
        try:
            args, kwargs = copy.deepcopy((args, kwargs))
            with listening.listening(reasons):
                self._function(*args, **kwargs)
        except Exception:  # the call that is compiled shows its own error
            return []
        new = [metrics for metrics in dynamo.compilations() if id(metrics) not in earlier]
        reasons.ended(new, raised=False)
        return self._whys(reasons) if new or reasons.uncompiled else []

    def _whys(self, reasons: Reasons) -> list[Why]:
        before, first = self._first, reasons.compiled_first()
        self._first = (before or set()) | first
        if before is None:
            return []
        whys = [
            Why(f"{name}, whose code is new in each call", MADE_ONCE)
            for name, _, _ in sorted(before & first)
        ]
        whys += [why for why in reasons.whys() if not why.text.startswith("first call")]
        return [Why(f"{AS_IT_IS} {self._around} it compiles again: {t}", cure) for t, cure in whys]


def _has_compiled_inside(function: Any, seen: set[int]) -> bool:
    """Whether a function names ``compile``, or something compiled, as far as its module goes."""
    owner = attribute(function, "__self__")
    owner = function if owner is None else owner
    if any(compiled_by(value) == "torch" for value in _attributes(owner)):
        return True
    function = original(function)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return False
    seen.add(id(function))
    names = set(_names(function.__code__))
    values = [function.__globals__[name] for name in names & function.__globals__.keys()]
    cells = inspect.getclosurevars(function).nonlocals
    return "compile" in names or any(
        compiled_by(value) == "torch"
        or any(inner is torch.compile for inner in (value, attribute(value, "func")))
        or (
            isinstance(value, FunctionType)
            and value.__module__ == function.__module__
            and _has_compiled_inside(value, seen)
        )
        for value in [*values, *cells.values()]
    )


def _attributes(owner: Any) -> list[Any]:
    """The values of an object's own attributes, and the submodules of a module."""
    values = list(getattr(owner, "__dict__", {}).values())
    return [*values, *owner.modules()] if isinstance(owner, torch.nn.Module) else values


def _names(code: CodeType) -> Iterator[str]:
    """The names in a function and in those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
