"""Are a JAX function and a PyTorch function the same function?

Both run on the same inputs; values and gradients are compared with a float64 answer, and the
worst element is reported with its place and its error in units in the last place (ULP).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jaxvstorch import frameworks
from jaxvstorch.comparison import TOLERANCE, Comparison, compare
from jaxvstorch.difference import against_difference
from jaxvstorch.outcome import (
    Arguments,
    Arrays,
    Function,
    Outcome,
    call_reference,
    convert_arrays,
    gradients,
    run,
    weights,
    widen,
)


@dataclass(frozen=True)
class Parity:
    """All comparisons of one pair of functions on one set of inputs.

    Attributes:
        comparisons: one per output and gradient of each function, and one per output whose dtypes
            are not the same.
    """

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

    Outputs must also have the same dtype in both; only integers may differ in width.

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
        All comparisons; ``print`` it to read it, ``require()`` it in tests.

    Raises:
        TypeError: ``inputs`` is no tuple, an input to differentiate is no floating-point array, or
            a function returns something other than arrays.
        IndexError: there is no input at a position in ``gradient``.
        MissingFrameworkError: one of the frameworks is not installed.

    >>> import numpy as np, jax.numpy as jnp, torch
    >>> x = np.arange(1, 5, dtype=np.float32)
    >>> print(check_parity(jnp.std, torch.std, (x,), reference=np.std))
    jax output 0: same: float32, worst: 1.118... for 1.118..., ... ULP (error ..., allowed 7.6e-06)
    torch output 0: DIFFERENT: float32, worst: 1.29... for 1.118..., ... ULP (error 0.15, ...)
    """
    _check_arguments(inputs, gradient)
    functions = {"jax": jax_function, "torch": torch_function}

    def outcome(framework: str, arguments: Arguments) -> Outcome:
        return run(framework, functions[framework], arguments, gradient, convert)

    wide, found = widen(inputs), []
    outcomes = {framework: outcome(framework, inputs) for framework in functions}
    if reference is None:
        answer = outcome("torch", wide)
        found += _compare_outcomes("jax float64", outcome("jax", wide), answer, tolerance)
    else:
        answer = Outcome(call_reference(reference, wide))
        if gradient:
            # Without its outputs: for these a compiled function would be compiled once more.
            factors = weights(outcomes["torch"].outputs)
            wide_gradients = gradients("torch", torch_function, wide, gradient, factors, convert)
            answer = Outcome(answer.outputs, wide_gradients)
            found.append(against_difference(reference, wide, gradient, answer.gradients))
    for framework in functions:
        found += _compare_outcomes(framework, outcomes[framework], answer, tolerance)
    return Parity((*found, *_compare_dtypes(outcomes["jax"].outputs, outcomes["torch"].outputs)))


def _check_arguments(inputs: Arguments, gradient: Sequence[int]) -> None:
    for framework in frameworks.FRAMEWORKS:
        frameworks.require(framework, wanted_by="check_parity")
    if not isinstance(inputs, tuple):
        raise TypeError(
            f"inputs must be a tuple of arguments, not {type(inputs).__name__}; "
            "for a single argument write (x,)"
        )
    for position in gradient:
        if not 0 <= position < len(inputs):
            raise IndexError(
                f"gradient names argument {position}; inputs has {len(inputs)}, counted from 0"
            )
        dtype = getattr(inputs[position], "dtype", type(inputs[position]).__name__)
        if dtype not in TOLERANCE:
            raise TypeError(
                f"gradient names argument {position}, which must be a floating-point NumPy array, "
                f"not {dtype}"
            )


def _compare_outcomes(
    framework: str, outcome: Outcome, answer: Outcome, tolerance: float
) -> list[Comparison]:
    if len(outcome.outputs) != len(answer.outputs):
        note = f"returned {len(outcome.outputs)}, expected {len(answer.outputs)}"
        return [Comparison(f"{framework} number of outputs", same=False, note=note)]
    return [
        compare(f"{framework} {kind} {i}", got, expected, tolerance)
        for kind, all_got, all_expected in (
            ("output", outcome.outputs, answer.outputs),
            ("gradient", outcome.gradients, answer.gradients),
        )
        for i, (got, expected) in enumerate(zip(all_got, all_expected, strict=True))
    ]


def _compare_dtypes(jax_outputs: Arrays, torch_outputs: Arrays) -> list[Comparison]:
    """The outputs whose dtypes differ; integers of different width pass for the same."""
    return [
        Comparison(
            f"output {i} dtype", same=False, note=f"{ours.dtype} in JAX, {theirs.dtype} in PyTorch"
        )
        for i, (ours, theirs) in enumerate(zip(jax_outputs, torch_outputs, strict=False))
        if ours.dtype != theirs.dtype and not {ours.dtype.kind, theirs.dtype.kind} <= {"i", "u"}
    ]
