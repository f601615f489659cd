"""Which files are the reader's: all but the frameworks', Python's and this package's own."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from jaxvstorch._frameworks.installed import import_path, is_instrument, is_pythons

_LIBRARIES = (
    "_pytest", "beartype", "equinox", "flax", "haiku", "jax", "jaxlib", "jaxtyping", "numpy",
    "optax", "pluggy", "torch",
)  # fmt: skip


@cache
def is_readers(file: str) -> bool:
    """Whether a report names the lines of a file; those of a library of models too."""
    if file.startswith("<frozen") or is_instrument(file) or is_pythons(file):
        return False
    _, parts = import_path(file) or ("", ("",))
    return parts[0] not in _LIBRARIES


def call(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Call the reader's function: on a stack, the lines that a report names are inside this."""
    return function(*args)
