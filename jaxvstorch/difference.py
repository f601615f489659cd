"""Is a gradient right? The slope along a random direction, against a central difference."""

from collections.abc import Sequence

import numpy as np

from jaxvstorch.comparison import Comparison
from jaxvstorch.outcome import Arguments, Arrays, Function, call_reference, weights

# A central difference in float64 with this step is good to some 1e-9 of the slope, as long as the
# value is not thousands of times larger than the slope.
STEP = 1e-6
TOLERANCE = 1e-6


def against_difference(
    reference: Function, wide: Arguments, gradient: Sequence[int], gradients: Arrays
) -> Comparison:
    """Compare PyTorch's float64 gradients with a central difference of the reference.

    Args:
        reference: by NumPy.
        wide: its arguments, floating-point arrays in float64.
        gradient: positions of the arguments that the gradients are with respect to.
        gradients: one per position, of the outputs' sum times ``weights(outputs)``.
    """
    rng = np.random.default_rng(1)
    directions = {i: rng.standard_normal(np.shape(wide[i])) for i in gradient}

    def weighted(step: float) -> float:
        moved = (v + step * directions[i] if i in directions else v for i, v in enumerate(wide))
        outputs = call_reference(reference, tuple(moved))
        return sum(float((w * o).sum()) for w, o in zip(weights(outputs), outputs, strict=True))

    difference = (weighted(STEP) - weighted(-STEP)) / (2 * STEP)
    slopes = [g * directions[i] for i, g in zip(gradient, gradients, strict=True)]
    slope = sum(float(s.sum()) for s in slopes)
    error = abs(slope - difference) / (sum(float(np.abs(s).sum()) for s in slopes) or 1.0)
    return Comparison(
        "torch float64 gradient along a random direction",
        same=error <= TOLERANCE,
        got=slope,
        expected=difference,
        error=error,
        tolerance=TOLERANCE,
        note=f"error {error:.2g} against a central difference, allowed {TOLERANCE:.2g}",
    )
