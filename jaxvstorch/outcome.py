"""What a function gives on some inputs, as NumPy arrays: its outputs and their gradients."""

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxvstorch import frameworks
from jaxvstorch.comparison import TOLERANCE

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Arrays = tuple[np.ndarray[Any, Any], ...]

_WIDE = tuple(np.dtype(name) for name in ("float64", "int64", "uint64", "complex128"))


@dataclass(frozen=True)
class Outcome:
    """What one function gave.

    Attributes:
        outputs: the arrays it returned.
        gradients: of the sum of the outputs times ``weights(outputs)``; empty where not asked for.
    """

    outputs: Arrays
    gradients: Arrays = ()


def convert_arrays(framework: str, inputs: Arguments) -> Arguments:
    """NumPy arrays among the inputs become the framework's; everything else stays."""
    return tuple(map(frameworks.adapter(framework).from_numpy, inputs))


def widen(inputs: Arguments) -> Arguments:
    """Floating-point arrays become float64; everything else stays."""
    return tuple(
        value.astype(np.float64) if getattr(value, "dtype", None) in TOLERANCE else value
        for value in inputs
    )


def run(
    framework: str,
    function: Function,
    inputs: Arguments,
    gradient: Sequence[int] = (),
    convert: Callable[[str, Arguments], Arguments] = convert_arrays,
) -> Outcome:
    """Outputs and gradients of one half. Each call gets its own arguments, which it may change.

    Raises:
        TypeError: ``function`` returns something other than arrays, or nothing differentiable
            where a gradient is asked for.
    """
    adapter = frameworks.adapter(framework)
    with _precision(framework, inputs):
        value = adapter.to_numpy(function(*convert(framework, copy.deepcopy(inputs))))
    outputs = _as_arrays(f"{framework}_function", value)
    if not gradient:
        return Outcome(outputs)
    if not any(output.real.dtype in TOLERANCE for output in outputs):
        dtypes = ", ".join(str(output.dtype) for output in outputs)
        raise TypeError(f"gradient needs a floating-point output; {framework} gives {dtypes}")
    return Outcome(
        outputs, gradients(framework, function, inputs, gradient, weights(outputs), convert)
    )


def gradients(
    framework: str,
    function: Function,
    inputs: Arguments,
    positions: Sequence[int],
    factors: Arrays,
    convert: Callable[[str, Arguments], Arguments] = convert_arrays,
) -> Arrays:
    """Gradients alone, of the sum of one half's outputs times the factors."""
    adapter = frameworks.adapter(framework)
    with _precision(framework, inputs):
        arguments = convert(framework, copy.deepcopy(inputs))
        found = adapter.gradients(function, arguments, positions, factors)
        return tuple(adapter.to_numpy(tuple(found)))


def _precision(framework: str, inputs: Arguments) -> AbstractContextManager[None]:
    """64-bit types only where the inputs have them: they change what JAX makes itself."""
    wide = any(getattr(value, "dtype", None) in _WIDE for value in inputs)
    return frameworks.adapter(framework).double_precision() if wide else nullcontext()


def call_reference(reference: Function, inputs: Arguments) -> Arrays:
    """What the NumPy function gives. It gets copies, which are its own to change."""
    return _as_arrays("reference", reference(*copy.deepcopy(inputs)))


def weights(outputs: Arrays) -> Arrays:
    """Fixed weights that bfloat16 holds exactly, so that every dtype has the same gradient."""
    rng = np.random.default_rng(0)
    return tuple(np.asarray(rng.integers(1, 8, output.shape) / 4) for output in outputs)


def _as_arrays(what: str, value: Any) -> Arrays:
    outputs = value if isinstance(value, tuple) else (value,)
    number = np.ndarray | np.generic | bool | int | float | complex
    came = [type(output).__name__ for output in outputs if not isinstance(output, number)]
    if came or not outputs:
        raise TypeError(
            f"{what} must return an array or a tuple of arrays; "
            f"it returned {type(value).__name__}" + (f" with {came[0]}" if came else " of nothing")
        )
    return tuple(map(np.asarray, outputs))
