"""Halves of pairs as `show` prints them, pasted into a module of their own."""

import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from jaxvstorch._pairs.pair import Pair


@cache
def pasted(pair: Pair, framework: str) -> Callable[..., Any]:
    """One half from its text alone. Dynamo finds the module of a function by its name."""
    module = ModuleType(f"pasted_{pair.topic}_{pair.name}_{framework}")
    sys.modules[module.__name__] = module
    code = compile(pair.source(framework), module.__name__, "exec")
    exec(code, vars(module))
    function: Callable[..., Any] = getattr(module, pair.name)
    return function
