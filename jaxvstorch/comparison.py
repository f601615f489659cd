"""One array compared with its answer: the worst element, its place and its error."""

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

# Errors allowed by default, relative to the largest magnitude in the array compared: some tens of
# roundings, which is what a short chain of operations leaves.
TOLERANCE = {
    np.dtype(np.float64): 64 * np.finfo(np.float64).eps,
    np.dtype(np.float32): 64 * np.finfo(np.float32).eps,
    np.dtype(np.float16): 8 * float(np.finfo(np.float16).eps),
    np.dtype(ml_dtypes.bfloat16): 8 * float(ml_dtypes.finfo(ml_dtypes.bfloat16).eps),
}

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Comparison:
    """One array compared with its answer.

    Attributes:
        what: which array, such as ``"torch gradient of argument 0"``.
        same: within the tolerance, and of the same shape.
        worst: index of the worst element; ``None`` where the shapes differ or it has none.
        got: the worst element's value.
        expected: what it should have been.
        ulp: its error in units in the last place of the array's dtype, at the expected value.
        error: its error, relative to the largest expected magnitude.
        tolerance: the error allowed, on the same scale.
        note: what else there is to say, such as that shapes differ.
    """

    what: str
    same: bool
    worst: tuple[int, ...] | None
    got: float
    expected: float
    ulp: float
    error: float
    tolerance: float
    note: str = ""

    def __str__(self) -> str:
        verdict = "same" if self.same else "DIFFERENT"
        if self.note:
            return f"{self.what}: {verdict}: {self.note}"
        place = "" if not self.worst else f" at {list(self.worst)}"
        return (
            f"{self.what}: {verdict}: worst{place}: {self.got!r} for {self.expected!r}, "
            f"{self.ulp:.3g} ULP (error {self.error:.2g}, allowed {self.tolerance:.2g})"
        )


def compare(what: str, got: Any, expected: Any, tolerance: float = 1.0) -> Comparison:
    """Compare one array with its answer.

    Args:
        what: its name in the report.
        got: the array, of any dtype.
        expected: the answer, in float64 (or the integer or boolean answer itself).
        tolerance: multiple of the error that ``got``'s dtype allows by default (``TOLERANCE``).
            Integers and booleans must be equal.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    nan = float("nan")
    if got.shape != expected.shape:
        note = f"shape {got.shape}, expected {expected.shape}"
        return Comparison(what, False, None, nan, nan, nan, nan, nan, note)
    if got.dtype not in TOLERANCE:
        return _compare_exactly(what, got, expected)
    if got.size == 0:
        return Comparison(what, True, None, nan, nan, 0.0, 0.0, nan, "no elements")
    wide, answer = got.astype(np.float64), expected.astype(np.float64)
    # Where both are the same infinity or both NaN the difference is nothing.
    agree = (wide == answer) | (np.isnan(wide) & np.isnan(answer))
    with np.errstate(invalid="ignore"):
        difference = np.where(agree, 0.0, np.abs(wide - answer))
    difference = np.where(np.isnan(difference), np.inf, difference)
    worst = np.unravel_index(int(difference.argmax()), got.shape)
    finite = np.abs(answer[np.isfinite(answer)])
    scale = max(float(finite.max(initial=0.0)), float(ml_dtypes.finfo(got.dtype).tiny))
    error = float(difference[worst]) / scale
    allowed = tolerance * TOLERANCE[got.dtype]
    return Comparison(
        what,
        same=error <= allowed,
        worst=tuple(int(i) for i in worst),
        got=float(wide[worst]),
        expected=float(answer[worst]),
        ulp=float(difference[worst]) / _spacing(float(answer[worst]), got.dtype),
        error=error,
        tolerance=allowed,
    )


def _spacing(value: float, dtype: np.dtype[Any]) -> float:
    """The distance from ``value`` to the next number of ``dtype``."""
    info = ml_dtypes.finfo(dtype)
    if not np.isfinite(value):
        return 1.0
    exponent = np.floor(np.log2(max(abs(value), float(info.tiny))))
    return float(2.0**exponent * float(info.eps))


def _compare_exactly(what: str, got: Array, expected: Array) -> Comparison:
    differs = got != expected
    wrong = int(differs.sum())
    worst = np.unravel_index(int(differs.argmax()), got.shape) if got.size else None
    return Comparison(
        what,
        same=wrong == 0,
        worst=None if worst is None else tuple(int(i) for i in worst),
        got=float(got[worst]) if worst is not None else float("nan"),
        expected=float(expected[worst]) if worst is not None else float("nan"),
        ulp=float("nan"),
        error=wrong / max(got.size, 1),
        tolerance=0.0,
        note=f"{wrong} of {got.size} elements of {got.dtype} differ",
    )
