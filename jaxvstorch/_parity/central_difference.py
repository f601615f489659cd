"""Is a gradient right? The slope along a random direction, against a central difference."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxvstorch._frameworks.containers import leaves, mapped
from jaxvstorch._parity.comparison import Comparison
from jaxvstorch._parity.outcome import Arguments, Function, call_reference, weights
from jaxvstorch._parity.outputs import Arrays

# A central difference in float64 with this step is good to some 1e-9 of the slope, as long as the
# value is not thousands of times larger than the slope.
STEP = 1e-6
TOLERANCE = 1e-6


def against_difference(
    reference: Function, wide: Arguments, gradient: Sequence[int], gradients: Arrays
) -> Comparison:
    """Compare PyTorch's float64 gradients with a central difference of the reference.

    Args:
        reference: the function in NumPy.
        wide: its arguments, floating-point arrays in float64.
        gradient: positions of the arguments that the gradients are with respect to.
        gradients: one per array at these positions, of the outputs' sum times
            ``weights(outputs)``.

    Returns:
        A comparison. Its ``compared`` is false where the reference has no slope, because its value
        is not finite, or where there is no element to move. Infinities and NaNs in the arguments
        are not moved, and the gradients with respect to them do not count.
    """
    what = "torch float64 gradient along a random direction"
    directions = _directions(wide, gradient)
    flat = leaves([directions[i] for i in gradient])
    if not any(direction.any() for direction in flat):
        return _not_compared(what, "no input to differentiate has a finite element")

    def outputs_at(step: float) -> Arrays:
        moved = (
            mapped(lambda x, direction: x + step * direction, v, directions[i])
            if i in directions
            else v
            for i, v in enumerate(wide)
        )
        return call_reference(reference, tuple(moved)).outputs

    after, before = outputs_at(STEP), outputs_at(-STEP)
    if not all(np.isfinite(output).all() for output in (*after, *before)):
        return _not_compared(what, "an output of the reference is not finite, so it has no slope")
    difference = (_weighted_sum(after) - _weighted_sum(before)) / (2 * STEP)
    slopes = [
        np.where(direction == 0, 0.0, g) * direction
        for direction, g in zip(flat, gradients, strict=True)
    ]
    slope = sum(float(s.sum()) for s in slopes)
    error = abs(slope - difference) / (sum(float(np.abs(s).sum()) for s in slopes) or 1.0)
    same = error <= TOLERANCE
    wrong = "" if same else "; the gradients below are compared with it, or the reference is wrong"
    return Comparison(
        what,
        same=same,
        got=slope,
        expected=difference,
        error=error,
        tolerance=TOLERANCE,
        note=f"error {error:.2g} against a central difference of the reference, allowed "
        f"{TOLERANCE:.2g}{wrong}",
    )


def _directions(wide: Arguments, gradient: Sequence[int]) -> dict[int, Any]:
    """For each position, how far each element is moved: not at all if it is not finite."""
    rng = np.random.default_rng(1)

    def direction(x: Any) -> Any:
        return np.where(np.isfinite(x), rng.standard_normal(np.shape(x)), 0.0)

    return {i: mapped(direction, wide[i]) for i in gradient}


def _not_compared(what: str, why: str) -> Comparison:
    return Comparison(what, same=True, compared=False, note=why)


def _weighted_sum(outputs: Arrays) -> float:
    return sum(float((w * o).sum()) for w, o in zip(weights(outputs), outputs, strict=True))
