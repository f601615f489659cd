"""One array compared with its answer: the worst element, its place and its error."""

import textwrap
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from jaxvstorch._table import NONE

# Relative errors allowed by default: some tens of roundings, which is what a short chain of
# operations leaves. A complex number is allowed the error of its parts.
TOLERANCE = {
    np.dtype(np.float64): 64 * float(np.finfo(np.float64).eps),
    np.dtype(np.float32): 64 * float(np.finfo(np.float32).eps),
    np.dtype(np.float16): 8 * float(np.finfo(np.float16).eps),
    np.dtype(ml_dtypes.bfloat16): 8 * float(ml_dtypes.finfo(ml_dtypes.bfloat16).eps),
}

Array = np.ndarray[Any, Any]
Number = float | complex
_NAN = float("nan")
HEADS = (
    "compared", "verdict", "dtype", "worst at", "value", "expected", "ULP", "error", "allowed",
)  # fmt: skip
_WIDTH = 80  # characters of a report's line


@dataclass(frozen=True)
class Comparison:
    """One array compared with its answer.

    Attributes:
        what: which array, such as ``"torch gradient 0"``.
        same: whether it has the same shape, and no element is outside the tolerance.
        dtype: the array's.
        worst: index of the worst element; ``None`` where there is none.
        got: the worst element's value.
        expected: what it should have been.
        ulp: its error in units in the last place of ``dtype`` at the expected value; NaN where
            the dtype is exact.
        error: its error, relative to the expected value or to the median magnitude in the array,
            whichever is larger: next to a number of usual size, a sum that nearly cancels may be
            off by a rounding of that size.
        tolerance: the error allowed, on the same scale.
        note: what the report says instead, such as that the shapes differ.
        compared: whether there was a number to compare.
    """

    what: str
    same: bool
    dtype: str = ""
    worst: tuple[int, ...] | None = None
    got: Number = _NAN
    expected: Number = _NAN
    ulp: float = _NAN
    error: float = _NAN
    tolerance: float = 0.0
    note: str = ""
    compared: bool = True

    @property
    def verdict(self) -> str:
        """In a word or two."""
        return "NOT COMPARED" if not self.compared else "same" if self.same else "DIFFERENT"

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row of a table, below ``HEADS``."""
        texts: tuple[str, ...] = ("",) * 6
        if self.error == self.error:  # there are numbers
            place = "" if self.worst is None else str(list(self.worst))
            is_for = (_short(self.got, self.dtype), _short(self.expected, self.dtype))
            ulp = f"{self.ulp:.3g}" if self.ulp == self.ulp else ""
            texts = (place, *is_for, ulp, f"{self.error:.2g}", f"{self.tolerance:.2g}")
        return tuple(text or NONE for text in (self.what, self.verdict, self.dtype, *texts))

    def __str__(self) -> str:
        return "; ".join(self._parts)

    @property
    def lines(self) -> list[str]:
        """What ``str`` says, in lines that fit a terminal."""
        first, *rest = self._parts
        indent = " " * 4
        wrapped = textwrap.wrap(
            first,
            _WIDTH,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [*wrapped, *(indent + part for part in rest)]

    @property
    def _parts(self) -> list[str]:
        """The verdict, and the worst element if it has one."""
        head = f"{self.what}: {self.verdict}"
        if self.note:
            return [f"{head}: {self.note}"]
        place = f" at {list(self.worst)}" if self.worst else ""
        got, expected = _short(self.got, self.dtype), _short(self.expected, self.dtype)
        return [
            f"{head}: {self.dtype}, error {self.error:.2g}, allowed {self.tolerance:.2g}",
            f"worst{place}: {got}, expected {expected}, {self.ulp:.3g} ULP",
        ]


def compare(what: str, got: Any, expected: Any, tolerance: float = 1.0) -> Comparison:
    """Compare one array with its answer.

    Two NaNs agree, and so do two infinities of the same sign. An infinity is right if the answer is
    too large for the dtype. Integers and booleans must be equal, whatever their width.

    Args:
        what: its name in the report.
        got: the array, of any dtype.
        expected: the answer, in float64 or complex128 (or integers or booleans).
        tolerance: a multiple of the error that ``got``'s dtype allows by default, as in
            ``check_parity``.

    >>> print(compare("sum", np.float32(0.3), 0.1 + 0.2))
    sum: same: float32, error 4e-08, allowed 7.6e-06; worst: 0.300000012, expected 0.3, 0.4 ULP
    >>> print(compare("steps", np.array([1, 2, 4]), [1, 2, 3]))
    steps: DIFFERENT: 1 of 3 int64 elements differs, first at [2]: 4, expected 3
    """
    got, expected = np.asarray(got), np.asarray(expected)
    blank = Comparison(what, same=True, dtype=str(got.dtype))
    if got.shape != expected.shape:
        note = f"shape {got.shape}, expected {expected.shape}"
        return replace(blank, same=False, note=note)
    if got.size == 0:
        note = f"{got.dtype}, no elements, shape {got.shape} as expected"
        return replace(blank, note=note, compared=False)
    if got.real.dtype not in TOLERANCE:
        return _compare_exactly(blank, got, expected)
    return _compare_closely(blank, got, expected, tolerance * TOLERANCE[got.real.dtype])


def _compare_exactly(blank: Comparison, got: Array, expected: Array) -> Comparison:
    differs = got != expected
    wrong = int(differs.sum())
    if not wrong:
        return replace(blank, error=0.0, note=f"{got.dtype}, every element equal")
    worst = _index(differs)
    found, answer = got[worst].item(), expected[worst].item()
    verb, place = "differs" if wrong == 1 else "differ", f" at {list(worst)}" if worst else ""
    note = (
        f"{wrong} of {got.size} {got.dtype} elements {verb}, first{place}: {found}, "
        f"expected {answer}"
    )
    error = wrong / got.size
    return replace(
        blank, same=False, worst=worst, got=found, expected=answer, error=error, note=note
    )


def _compare_closely(blank: Comparison, got: Array, expected: Array, allowed: float) -> Comparison:
    dtype = got.real.dtype
    wide, answer = _widened(got, expected)
    error = relative_errors(got, expected)
    worst = _index(error)
    distance = _difference(wide[worst], answer[worst], dtype)
    return replace(
        blank,
        same=bool(error[worst] <= allowed),
        worst=worst,
        got=wide[worst].item(),
        expected=answer[worst].item(),
        ulp=float(distance) / _spacing(abs(answer[worst]), dtype),
        error=float(error[worst]),
        tolerance=allowed,
    )


def relative_errors(got: Array, expected: Array) -> Array:
    """Each element's ``Comparison.error``, of floating-point or complex numbers."""
    dtype = got.real.dtype
    wide, answer = _widened(got, expected)
    errors: Array = _difference(wide, answer, dtype) / _scale(
        answer, float(ml_dtypes.finfo(dtype).tiny)
    )
    return errors


def _widened(got: Array, expected: Array) -> tuple[Array, Array]:
    either_complex = np.iscomplexobj(got) or np.iscomplexobj(expected)
    wide = got.astype(np.complex128 if either_complex else np.float64)
    return wide, expected.astype(wide.dtype)


def _difference(wide: Array, answer: Array, dtype: np.dtype[Any]) -> Array:
    """Distance of each element from its answer; infinite if one of the two is not finite."""
    if np.iscomplexobj(answer):
        parts = ((wide.real, answer.real), (wide.imag, answer.imag))
        real, imaginary = (_difference(*part, dtype) for part in parts)
        # As in NumPy, a complex number is NaN if either of its parts is.
        both_nan = np.isnan(wide) & np.isnan(answer)
        distance: Array = np.where(both_nan, 0.0, np.hypot(real, imaginary))
        return distance
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = answer.astype(dtype).astype(np.float64)
        agree = (wide == answer) | (np.isnan(wide) & np.isnan(answer))
        agree |= np.isinf(wide) & (wide == rounded)
        distance = np.where(agree, 0.0, np.abs(wide - answer))
    return np.where(np.isnan(distance), np.inf, distance)


def _scale(answer: Array, tiny: float) -> Array:
    """What each element's error is measured by: its own magnitude, or the median one if larger."""
    magnitude = np.abs(np.nan_to_num(answer, nan=0.0, posinf=0.0, neginf=0.0))
    used = magnitude[magnitude > 0]
    usual = float(np.quantile(used, 0.5, method="lower")) if used.size else 0.0
    scale: Array = np.maximum(magnitude, max(usual, tiny))
    return scale


def _spacing(magnitude: float, dtype: np.dtype[Any]) -> float:
    """One unit in the last place of ``dtype`` at a magnitude: the step to the next number up."""
    info = ml_dtypes.finfo(dtype)
    if not np.isfinite(magnitude):
        return 1.0
    # frexp is exact where a logarithm would round up just below a power of two.
    exponent = np.frexp(min(max(magnitude, float(info.tiny)), float(info.max)))[1] - 1
    return float(np.ldexp(float(info.eps), exponent))


def _index(values: Array) -> tuple[int, ...]:
    """Where the largest of ``values`` is."""
    return tuple(int(i) for i in np.unravel_index(int(values.argmax()), values.shape))


def _short(value: Number, dtype: str) -> str:
    """As many digits as the dtype can tell apart, and at least nine."""
    return f"{value:.17g}" if dtype in ("float64", "complex128") else f"{value:.9g}"
