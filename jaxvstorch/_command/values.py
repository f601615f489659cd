"""Values for arguments: arrays drawn with a seed, and what ``--static`` names."""

import ast
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from jaxvstorch._command import BadInputError
from jaxvstorch._command.texts import Arguments, Array

_WORD = re.compile(r"[^\W\d][\w.-]*")


class Maker:
    """Makes the arguments of calls, all with one stream of random numbers.

    Floats and complex numbers are standard normal, integers are 0 to 9, booleans are either.
    """

    def __init__(self, from_numpy: Callable[[Any], Any], seed: int) -> None:
        """``from_numpy`` turns a NumPy array into one of the framework."""
        import numpy as np

        self._from_numpy = from_numpy
        self._random = np.random.default_rng(seed)

    def call(self, asked: Arguments) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments.

        Raises:
            BadInputError: an array cannot be made: too large, or not a dtype of the framework.
        """
        kwargs = {name: self._value(value) for name, value in (asked.kwargs or {}).items()}
        return tuple(map(self._value, asked.args)), kwargs

    def _value(self, asked: Any) -> Any:
        if isinstance(asked, dict):
            return {key: self._value(value) for key, value in asked.items()}
        if isinstance(asked, tuple | list):
            return type(asked)(map(self._value, asked))
        if not isinstance(asked, Array):
            return asked
        try:
            return self._from_numpy(self._draw(asked))
        except (TypeError, ValueError, MemoryError) as error:
            text = f"{asked.dtype}[{','.join(map(str, asked.shape))}]"
            reason = str(error)
            if "enable_x64" in reason:
                reason = "64-bit types are off in JAX by default: set JAX_ENABLE_X64=1"
            raise BadInputError(f"an array {text} cannot be made: {reason}") from error

    def _draw(self, asked: Array) -> Any:
        import ml_dtypes
        import numpy as np

        bfloat16 = asked.dtype == "bfloat16"
        dtype = np.dtype(ml_dtypes.bfloat16 if bfloat16 else asked.dtype)
        if dtype.kind == "b":
            drawn: Any = self._random.integers(0, 2, asked.shape)
        elif dtype.kind in "iu":
            drawn = self._random.integers(0, 10, asked.shape)
        elif dtype.kind == "c":
            drawn = self._random.standard_normal((2, *asked.shape))
            drawn = drawn[0] + 1j * drawn[1]
        else:
            drawn = self._random.standard_normal(asked.shape)
        return np.asarray(drawn).astype(dtype)


def static_values(texts: list[str], module: ModuleType) -> dict[str, Any]:
    """What ``--static name=VALUE`` gives, by name.

    VALUE is a Python literal; else a function of ``module``, ``jax.nn.relu`` and the like
    included; else, if it is a bare word, that word as text.

    Raises:
        BadInputError: it is none of these, or a name is given twice.
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise BadInputError(f"--static {text!r}: expected name=VALUE, as in activation=relu")
        if name in values:
            raise BadInputError(f"--static {text!r}: {name} is given twice")
        values[name] = _static_value(value.strip(), module, text)
    return values


def _static_value(value: str, module: ModuleType, text: str) -> Any:
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        pass
    if not _WORD.fullmatch(value):
        raise BadInputError(
            f"--static {text!r}: expected a Python literal, a function of the file, or a bare word"
            " (an array cannot be static: give it with --arg name=f32[8])"
        )
    found: Any = module
    for part in value.split("."):
        missing = found is not module and not hasattr(found, part)
        if missing:
            raise BadInputError(
                f"--static {text!r}: {value} has no {part!r}; quote it if it is a string"
            )
        found = getattr(found, part, None)
        if found is None:
            return value
    return found if callable(found) else value
