"""Are a JAX function and a PyTorch function the same function?

Both run on the same inputs; values and gradients are compared with a float64 answer, and the
worst element is reported with its place and its error in units in the last place (ULP).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxvstorch import frameworks
from jaxvstorch.comparison import TOLERANCE, Comparison, compare

# A central difference in float64 is good to about eps^(2/3) of the function's own scale.
_STEP = 1e-6
_DIFFERENCE_TOLERANCE = 1e-6

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Arrays = tuple[np.ndarray[Any, Any], ...]


@dataclass(frozen=True)
class Parity:
    """All comparisons of one pair of functions on one set of inputs."""

    comparisons: tuple[Comparison, ...]

    @property
    def same(self) -> bool:
        """Whether every value and gradient agreed."""
        return all(comparison.same for comparison in self.comparisons)

    def __str__(self) -> str:
        return "\n".join(map(str, self.comparisons))

    def require(self) -> None:
        """Raise ``AssertionError`` with the whole report unless everything agreed."""
        if not self.same:
            raise AssertionError(str(self))


def convert_arrays(framework: str, inputs: Arguments) -> Arguments:
    """NumPy arrays among the inputs become the framework's; everything else stays."""
    return tuple(map(frameworks.adapter(framework).from_numpy, inputs))


def check_parity(
    jax_function: Function,
    torch_function: Function,
    inputs: Arguments,
    *,
    reference: Function | None = None,
    gradient: Sequence[int] = (),
    tolerance: float = 1.0,
    convert: Callable[[str, Arguments], Arguments] = convert_arrays,
) -> Parity:
    """Compare two functions with each other, by comparing both with a float64 answer.

    Args:
        jax_function: takes JAX arrays; returns an array or a tuple of arrays. May be jitted.
        torch_function: the same for PyTorch. May be compiled.
        inputs: arguments for both, positional: NumPy arrays, and Python values as they are.
        reference: the answer, by NumPy; it gets the inputs widened to float64. Without one, what
            ``torch_function`` gives in float64 is the answer, and ``jax_function`` is compared
            with it in float64 too.
        gradient: positions of the inputs to differentiate with respect to. The gradients are of
            the outputs' sum with fixed random weights. They are compared with PyTorch's in
            float64, and these with a central difference of the reference along a random direction.
        tolerance: multiple of ``jaxvstorch.comparison.TOLERANCE``, the error allowed by dtype.
        convert: makes one framework's arguments of NumPy ones.

    Returns:
        One comparison per output and gradient: ``print`` it to read it, ``require()`` it in tests.

    Raises:
        TypeError: ``inputs`` is no tuple, or an input to differentiate is no floating-point array.
        MissingFrameworkError: one of the frameworks is not installed.

    >>> import numpy as np, jax.numpy as jnp, torch
    >>> check_parity(jnp.std, torch.std, (np.arange(1, 5, dtype=np.float32),)).same
    False
    """
    _check_inputs(inputs, gradient)
    functions = {"jax": jax_function, "torch": torch_function}
    wide = tuple(_widen(value) for value in inputs)

    def in_float64(framework: str) -> tuple[Arrays, Arrays]:
        return _run(framework, functions[framework], wide, gradient, convert)

    torch_outputs, gradients = in_float64("torch")
    answers = torch_outputs if reference is None else _as_tuple(reference(*wide))
    found = []
    if reference is None:
        found += _compare_all("jax float64", in_float64("jax"), answers, gradients, tolerance)
    elif gradient:
        found.append(_against_difference(reference, wide, gradient, gradients))
    for framework, function in functions.items():
        run = _run(framework, function, inputs, gradient, convert)
        found += _compare_all(framework, run, answers, gradients, tolerance)
    return Parity(tuple(found))


def _check_inputs(inputs: Arguments, gradient: Sequence[int]) -> None:
    if not isinstance(inputs, tuple):
        raise TypeError(
            f"inputs must be a tuple of arguments, not {type(inputs).__name__}; "
            "for a single argument write (x,)"
        )
    for position in gradient:
        if not 0 <= position < len(inputs):
            raise TypeError(
                f"gradient names argument {position}; inputs has {len(inputs)}, counted from 0"
            )
        if getattr(inputs[position], "dtype", None) not in TOLERANCE:
            raise TypeError(
                f"gradient names argument {position}, which must be a floating-point NumPy array, "
                f"not {getattr(inputs[position], 'dtype', type(inputs[position]).__name__)}"
            )


def _widen(value: Any) -> Any:
    """Floating-point arrays become float64; everything else stays."""
    return value.astype(np.float64) if getattr(value, "dtype", None) in TOLERANCE else value


def _as_tuple(value: Any) -> Arrays:
    return tuple(map(np.asarray, value if isinstance(value, tuple) else (value,)))


def _run(
    framework: str,
    function: Function,
    inputs: Arguments,
    gradient: Sequence[int],
    convert: Callable[[str, Arguments], Arguments],
) -> tuple[Arrays, Arrays]:
    """Outputs and gradients as NumPy arrays."""
    adapter = frameworks.adapter(framework)
    with adapter.double_precision():
        arguments = convert(framework, inputs)
        value = adapter.to_numpy(function(*arguments))
        if not gradient:
            return _as_tuple(value), ()
        dtype = inputs[gradient[0]].dtype
        weights = [adapter.from_numpy(w.astype(dtype)) for w in _weights(_as_tuple(value))]
        value, gradients = adapter.value_and_gradients(function, arguments, gradient, weights)
        return _as_tuple(adapter.to_numpy(value)), _as_tuple(adapter.to_numpy(tuple(gradients)))


def _weights(outputs: Arrays) -> Arrays:
    """Fixed weights that bfloat16 holds exactly, so that every dtype has the same gradient."""
    rng = np.random.default_rng(0)
    return tuple(rng.integers(1, 8, output.shape) / 4 for output in outputs)


def _compare_all(
    framework: str, run: tuple[Arrays, Arrays], answers: Arrays, gradients: Arrays, tolerance: float
) -> list[Comparison]:
    outputs, own_gradients = run
    if len(outputs) != len(answers):
        raise AssertionError(f"{framework} gives {len(outputs)} arrays, expected {len(answers)}")
    found = [
        compare(f"{framework} output {i}", got, expected, tolerance)
        for i, (got, expected) in enumerate(zip(outputs, answers, strict=True))
    ]
    for i, (got, expected) in enumerate(zip(own_gradients, gradients, strict=True)):
        found.append(compare(f"{framework} gradient {i}", got, expected, tolerance))
    return found


def _against_difference(
    reference: Function, wide: Arguments, gradient: Sequence[int], gradients: Arrays
) -> Comparison:
    """The float64 gradients along a random direction, against a central difference."""
    rng = np.random.default_rng(1)
    directions = {i: rng.standard_normal(wide[i].shape) for i in gradient}

    def weighted(step: float) -> float:
        moved = [v + step * directions[i] if i in directions else v for i, v in enumerate(wide)]
        outputs = _as_tuple(reference(*moved))
        return sum(float((w * o).sum()) for w, o in zip(_weights(outputs), outputs, strict=True))

    difference = (weighted(_STEP) - weighted(-_STEP)) / (2 * _STEP)
    slopes = [g * directions[i] for i, g in zip(gradient, gradients, strict=True)]
    scale = sum(float(np.abs(slope).sum()) for slope in slopes) or 1.0
    error = abs(sum(float(slope.sum()) for slope in slopes) - difference) / scale
    return Comparison(
        "torch float64 gradient along a random direction",
        same=error <= _DIFFERENCE_TOLERANCE,
        worst=None,
        got=sum(float(slope.sum()) for slope in slopes),
        expected=difference,
        ulp=float("nan"),
        error=error,
        tolerance=_DIFFERENCE_TOLERANCE,
        note=f"error {error:.2g} against a central difference, allowed {_DIFFERENCE_TOLERANCE:.2g}",
    )
