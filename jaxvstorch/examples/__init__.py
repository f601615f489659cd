"""The canonical functions: one folder per topic, one module per framework."""

import importlib
from collections.abc import Callable
from types import ModuleType

from jaxvstorch import frameworks


def lazy_halves(topic: str) -> Callable[[str], ModuleType]:
    """A module ``__getattr__`` that imports a topic's half when it is first asked for.

    With it ``from jaxvstorch.examples.branching import torch`` says what to install where PyTorch
    is missing.
    """

    def half(name: str) -> ModuleType:
        if name not in frameworks.FRAMEWORKS:
            raise AttributeError(f"module {topic!r} has no attribute {name!r}")
        frameworks.require(name, wanted_by=f"{topic}.{name}")
        return importlib.import_module(f"{topic}.{name}")

    return half
