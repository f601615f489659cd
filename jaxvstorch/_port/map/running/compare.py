"""Do two results agree, and if not, how do they differ?"""

from typing import Any, NamedTuple

import numpy as np

from jaxvstorch._port.map.running.values import DTYPES, array, leaves

# Relative to the largest number of the result.
TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float32": 2e-5, "complex64": 2e-5,
             "bfloat16": 2e-2, "float16": 2e-3}  # fmt: skip
LEAST = 1e-5  # a result smaller than this, as a gradient that should be zero, is rounding
ROUNDED = 100.0  # tolerances: a difference up to these is rounding, a larger one a value
LARGEST = 0.05  # what rounding there is in any dtype
SHOWN = 4  # numbers of an array
DIGITS = 5  # of a number, where they tell two results apart
NARROWED = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


class Difference(NamedTuple):
    """How two results differ, and both as text."""

    kind: str
    torch: str
    jax: str


def compare(
    torch_result: Any, jax_result: Any, wide: bool, least: float = LEAST
) -> list[Difference]:
    """Each kind of difference between two results, the gravest first.

    Args:
        torch_result: arrays and numbers, in containers.
        jax_result: the same in JAX.
        wide: whether an input had 64 bits: then a narrower result is JAX's setting, and no
            difference.
        least: the scale that differences are measured by where the result's numbers are smaller.
    """
    torch_leaves, jax_leaves = leaves(torch_result), leaves(jax_result)
    if len(torch_leaves) != len(jax_leaves):
        return [Difference("results", f"{len(torch_leaves)} results", f"{len(jax_leaves)} results")]
    by_kind: dict[str, Difference] = {}
    for torch_leaf, jax_leaf in zip(torch_leaves, jax_leaves, strict=True):
        for difference in _leaf_differences(torch_leaf, jax_leaf, wide, least):
            by_kind.setdefault(difference.kind, difference)
    return sorted(by_kind.values(), key=lambda d: GRAVE.index(d.kind))


GRAVE = ("results", "shape", "value", "NaN", "rounding", "dtype", "width")


def _leaf_differences(ours: Any, theirs: Any, wide: bool, least: float) -> list[Difference]:
    if not _numeric(ours) or not _numeric(theirs):
        return _dtype_differences(ours, theirs, wide)
    a, b = array(ours), array(theirs)
    if a.shape != b.shape:
        return [Difference("shape", str(a.shape), str(b.shape))]
    differences = []
    if hasattr(ours, "dtype") and a.dtype != b.dtype:
        narrower = NARROWED.get(a.dtype.name) == b.dtype.name
        if not (narrower and wide):
            kind = "width" if narrower else "dtype"
            differences.append(Difference(kind, a.dtype.name, b.dtype.name))
    if kind_of_values := _value_difference(a, b, least):
        return [Difference(kind_of_values, *_texts(a, b)), *differences]
    return differences


def _dtype_differences(ours: Any, theirs: Any, wide: bool) -> list[Difference]:
    """How two dtypes differ, or two values that are no numbers."""
    if ours == theirs or (ours in DTYPES and DTYPES[ours] == theirs):
        return []
    narrower = ours in DTYPES and NARROWED.get(np.dtype(DTYPES[ours]).name) == str(theirs)
    if narrower and wide:
        return []
    return [Difference("width" if narrower else "value", str(ours), str(theirs))]


def _numeric(value: Any) -> bool:
    return hasattr(value, "shape") or isinstance(value, bool | int | float | complex)


def _value_difference(a: np.ndarray, b: np.ndarray, size: float) -> str | None:
    """The kind of difference between numbers of one shape, if any."""
    least = min((TOLERANCE.get(x.dtype.name, 0.0), x.dtype.name) for x in (a, b))[0]
    tolerance = max(TOLERANCE.get(x.dtype.name, 0.0) for x in (a, b)) or least
    common = np.result_type(_wide(a), _wide(b))
    a, b = _wide(a).astype(common), _wide(b).astype(common)
    if common.kind in "fc" and (np.isnan(a) != np.isnan(b)).any():
        return "NaN"
    if common.kind not in "fc":
        return None if np.array_equal(a, b) else "value"
    if common.kind == "c":  # by parts, as one may be infinite, and the other one rounded
        known = ~np.isnan(a)
        a, b = (np.stack([x[known].real, x[known].imag]) for x in (a, b))
    finite = np.abs(a[np.isfinite(a)])
    scale = max(finite.max() if finite.size else 0.0, size)
    if np.allclose(a, b, tolerance, tolerance * scale, equal_nan=True):
        return None
    rounded = min(tolerance * ROUNDED, LARGEST)
    if not np.allclose(a, b, rounded, rounded * scale, equal_nan=True):
        return "value"
    # Beside one large number, a small one would be far off before it counted.
    small = np.allclose(a, b, LARGEST, max(tolerance * scale, size), equal_nan=True)
    return "rounding" if small else "value"


def _texts(a: np.ndarray, b: np.ndarray) -> tuple[str, str]:
    """Both as text, from the position where they differ most, with digits that tell them apart."""
    begun = "["
    if a.size > SHOWN:
        x, y = (_wide(value).ravel().astype(np.complex128) for value in (a, b))
        with np.errstate(invalid="ignore"):  # each part for itself: inf + 1j less inf + 2j is NaN
            parts = np.abs((x - y).view(np.float64).reshape(-1, 2))
        far = np.where(np.isnan(x) != np.isnan(y), np.inf, np.nan_to_num(parts).max(axis=1))
        position = int(far.argmax())
        a, b = a.ravel()[position:], b.ravel()[position:]
        begun = "[…, " if position else "["
    for digits in (DIGITS, 8, 17):
        torch_text, jax_text = (text(value, digits).replace("[", begun) for value in (a, b))
        if torch_text != jax_text:
            break
    return torch_text, jax_text


def _wide(a: np.ndarray) -> np.ndarray:
    return a.astype(np.float32) if a.dtype.name == "bfloat16" else a


def text(a: np.ndarray, digits: int = DIGITS) -> str:
    """A few numbers of an array, as a person reads them."""
    short = np.array2string(_wide(a).ravel()[:SHOWN], precision=digits, separator=", ")
    short = short.replace("\n", "")
    if a.ndim == 0:
        return short.strip("[] ")
    return short if a.size <= SHOWN else short[:-1] + ", …]"
