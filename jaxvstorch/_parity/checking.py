"""Are a JAX function and a PyTorch function the same function?

Both run on the same inputs; values and gradients are compared with a float64 answer, and the
worst element is reported with its place and its error in units in the last place (ULP).
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from jaxvstorch import _frameworks
from jaxvstorch._parity.central_difference import against_difference
from jaxvstorch._parity.comparison import Comparison, compare
from jaxvstorch._parity.half import Half, without_random_numbers
from jaxvstorch._parity.outcome import (
    Arguments,
    Function,
    Outcome,
    call_reference,
    convert_arrays,
    is_wide,
    widen,
)
from jaxvstorch._parity.outputs import Arrays
from jaxvstorch._parity.parity import Parity
from jaxvstorch._parity.precision import Precision
from jaxvstorch._parity.refusals import (
    positions,
    require_functions,
    require_inputs,
    require_tolerance,
)


def check_parity(
    jax_function: Function,
    torch_function: Function,
    inputs: Arguments,
    *,
    reference: Function | None = None,
    gradient: Iterable[int] = (),
    tolerance: float = 1.0,
    convert: Callable[[str, Arguments], Arguments] = convert_arrays,
) -> Parity:
    """Compare two functions with each other, by comparing both with a float64 answer.

    Outputs must also have the same dtype in both; only integers may differ, in width and in sign.
    An infinity agrees with the same infinity, and a NaN with a NaN. Results without elements do not
    count as the same, since there is nothing to compare.

    A float64 run can be only as precise as float32: some functions compute a part in float32
    whatever their inputs are, as JAX's attention computes its softmax. The report says so, and
    allows the error of float32, on two conditions: the function makes narrower arrays from float64
    inputs, and each wrong element jumps, as rounded numbers do, when the inputs move by a few
    float32 roundings. A smooth difference of that size stays a difference.

    If the numbers differ and a function draws random numbers, the report says that it was not
    compared, and how to compare it.

    Args:
        jax_function: accepts JAX arrays; returns an array, or a tuple, list or dict of arrays,
            nested to any depth. May be jitted.
        torch_function: the same for PyTorch. May be compiled. For an ``nn.Module``, a copy in
            float64 computes the float64 answer.
        inputs: positional arguments for both: NumPy arrays, Python values, and tuples, lists and
            dicts of these.
        reference: computes the answer in NumPy, from inputs widened to float64. Without one, the
            answer is what ``torch_function`` gives in float64, uncompiled, and ``jax_function`` is
            compared with it in float64 too.
        gradient: positions of the inputs to differentiate with respect to: arrays, or containers
            of arrays. PyTorch's outputs then come from a call that autograd records. The gradients
            are those of a sum of the outputs, weighted by fixed random numbers. They are compared
            with PyTorch's in float64, uncompiled; with a ``reference``, those are compared with its
            central difference along a random direction.
        tolerance: a multiple of the relative error allowed: 64 times the dtype's ``eps`` in
            float64 and float32, 8 times in float16 and bfloat16. 0 allows no error.
        convert: turns NumPy arguments into those of one framework.

    Returns:
        A table of comparisons to print; in a test, call ``require()``.

    Raises:
        TypeError: an argument has the wrong type, a function accepts only the other framework's
            arrays (as when the two are swapped), an input to differentiate is not a floating-point
            array, an input is or holds a masked array, a function returns something other than
            arrays and numbers, or breaks PyTorch's graph from the outputs back to the inputs (by
            ``detach``, say).
        IndexError: there is no input at a position in ``gradient``.
        ValueError: a position is given twice, or ``tolerance`` is negative, infinite or NaN.
        MissingFrameworkError: one of the frameworks is not installed.

    >>> import numpy as np, jax.numpy as jnp, torch
    >>> x = np.arange(1, 5, dtype=np.float32)
    >>> print(check_parity(jnp.std, torch.std, (x,), reference=np.std))
    jax output 0: same: float32, error ..., allowed 7.6e-06
        worst: 1.118..., expected 1.118..., ... ULP
    torch output 0: DIFFERENT: float32, error 0.15, allowed 7.6e-06
        worst: 1.29..., expected 1.118..., ... ULP
    """
    for framework in _frameworks.FRAMEWORKS:
        _frameworks.require(framework, wanted_by="check_parity")
    require_functions(jax_function=jax_function, torch_function=torch_function, convert=convert)
    if reference is not None:
        require_functions(reference=reference)
    require_inputs(inputs)
    require_tolerance(tolerance)
    wanted = positions(gradient, inputs)
    given = {"jax": jax_function, "torch": torch_function}
    halves = {name: Half(name, f, wanted, convert) for name, f in given.items()}
    outcomes = {name: half.run(inputs) for name, half in halves.items()}
    # A compiled function would be compiled once more for the answer.
    adapter = _frameworks.adapter("torch")
    original = adapter.uncompiled(torch_function)
    halves["torch"] = replace(halves["torch"], function=original)
    wide, comparisons = widen(inputs), []
    in_float64 = halves | {"torch": replace(halves["torch"], function=adapter.widened(original))}
    precision = Precision(in_float64, wide, tolerance, by_torch=reference is None)
    answer = Outcome(())
    if reference is None or wanted:
        answer = in_float64["torch"].run(wide)
    if reference is None:
        outcomes = {"jax float64": in_float64["jax"].run(wide)} | outcomes
    else:
        answer = replace(call_reference(reference, wide), gradients=answer.gradients)
        if wanted:
            comparisons.append(against_difference(reference, wide, wanted, answer.gradients))
    for name, outcome in outcomes.items():
        comparisons += compare_outcomes(name, outcome, answer, tolerance, precision)
    kinds = _compare_dtypes(outcomes["jax"].outputs, outcomes["torch"].outputs, is_wide(inputs))
    return Parity((*without_random_numbers(comparisons, halves, inputs), *kinds))


def compare_outcomes(
    framework: str,
    outcome: Outcome,
    answer: Outcome,
    tolerance: float,
    precision: Precision | None = None,
) -> list[Comparison]:
    """Each output and gradient of one function, compared with the answer's."""
    if len(outcome.outputs) != len(answer.outputs):
        note = f"returned {len(outcome.outputs)}, expected {len(answer.outputs)}"
        return [Comparison(f"{framework} number of outputs", same=False, note=note)]
    misplaced = [
        Comparison(f"{framework} place of output {i}", same=False, note=f"{got}, expected {place}")
        for i, (got, place) in enumerate(zip(outcome.places, answer.places, strict=True))
        if got != place
    ]
    names = [f"output {i}" for i in range(len(outcome.outputs))]
    names += [f"gradient {i}" for i in range(len(outcome.gradients))]
    rows = [
        compare(f"{framework} {name}", got, expected, tolerance)
        for name, got, expected in zip(names, outcome.arrays, answer.arrays, strict=True)
    ]
    if precision is not None:
        rows = [precision.judged(row, n, outcome, answer) for n, row in enumerate(rows)]
    return misplaced + rows


def _compare_dtypes(jax_outputs: Arrays, torch_outputs: Arrays, is_wide: bool) -> list[Comparison]:
    """The outputs whose dtypes differ; integers count as the same."""
    on = " with 64-bit types on, because an input has them" if is_wide else ""
    return [
        Comparison(
            f"output {i} dtype",
            same=False,
            note=f"{ours.dtype} in JAX{on}, {theirs.dtype} in PyTorch",
        )
        for i, (ours, theirs) in enumerate(zip(jax_outputs, torch_outputs, strict=False))
        if ours.dtype != theirs.dtype and not {ours.dtype.kind, theirs.dtype.kind} <= {"i", "u"}
    ]
