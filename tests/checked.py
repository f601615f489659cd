"""Halves of pairs whose signatures are checked as they run."""

from collections.abc import Callable
from typing import Any

from beartype import beartype
from jaxtyping import jaxtyped

from jaxvstorch._explain.python.unwrap import original
from jaxvstorch._pairs.pair import Pair


def checked(pair: Pair, framework: str) -> Callable[..., Any]:
    """One half without its decorators, its annotations checked against what comes and goes."""
    found: Callable[..., Any] = jaxtyped(original(pair.half(framework)), typechecker=beartype)
    return found
