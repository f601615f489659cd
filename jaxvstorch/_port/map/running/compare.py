"""Do two results agree, and if not, how do they differ?"""

from typing import Any, NamedTuple

import numpy as np

from jaxvstorch._port.map.running.values import DTYPES, array, leaves

# Relative to the largest number of the result; what differs by less is rounding.
TOLERANCE = {"float64": 1e-9, "complex128": 1e-9, "float32": 2e-5, "complex64": 2e-5,
             "bfloat16": 2e-2, "float16": 2e-3}  # fmt: skip
LEAST = 1e-5  # what is smaller all over, as a gradient that should be zero, is rounding
ROUNDED = 100.0  # times as much is called rounding; more is another value
SHOWN = 4  # numbers of an array
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
        least: the size of numbers that a result is measured by where its own are smaller.
    """
    ours, theirs = leaves(torch_result), leaves(jax_result)
    if len(ours) != len(theirs):
        return [Difference("results", f"{len(ours)} results", f"{len(theirs)} results")]
    found: dict[str, Difference] = {}
    for one, other in zip(ours, theirs, strict=True):
        for difference in _leaf(one, other, wide, least):
            found.setdefault(difference.kind, difference)
    return sorted(found.values(), key=lambda d: GRAVE.index(d.kind))


GRAVE = ("results", "shape", "value", "NaN", "rounding", "dtype", "width")


def _leaf(one: Any, other: Any, wide: bool, least: float) -> list[Difference]:
    if not _numeric(one) or not _numeric(other):
        return _other(one, other, wide)
    a, b = array(one), array(other)
    if a.shape != b.shape:
        return [Difference("shape", str(a.shape), str(b.shape))]
    found = []
    if hasattr(one, "dtype") and a.dtype != b.dtype:
        narrower = NARROWED.get(a.dtype.name) == b.dtype.name
        if not (narrower and wide):
            found.append(Difference("width" if narrower else "dtype", a.dtype.name, b.dtype.name))
    kind = _values(a, b, least)
    return [Difference(kind, *_where(a, b)), *found] if kind else found


def _other(one: Any, other: Any, wide: bool) -> list[Difference]:
    """How two dtypes differ, or two of what is no number."""
    if one == other or (one in DTYPES and DTYPES[one] == other):
        return []
    narrower = one in DTYPES and NARROWED.get(np.dtype(DTYPES[one]).name) == str(other)
    if narrower and wide:
        return []
    return [Difference("width" if narrower else "value", str(one), str(other))]


def _numeric(value: Any) -> bool:
    return hasattr(value, "shape") or isinstance(value, bool | int | float | complex)


def _values(a: np.ndarray, b: np.ndarray, size: float) -> str | None:
    """The kind of difference between values of one shape, if any."""
    least = min((TOLERANCE.get(x.dtype.name, 0.0), x.dtype.name) for x in (a, b))[0]
    tolerance = max(TOLERANCE.get(x.dtype.name, 0.0) for x in (a, b)) or least
    common = np.result_type(_wide(a), _wide(b))
    a, b = _wide(a).astype(common), _wide(b).astype(common)
    if common.kind in "fc" and (np.isnan(a) != np.isnan(b)).any():
        return "NaN"
    if common.kind not in "fc":
        return None if np.array_equal(a, b) else "value"
    finite = np.abs(a[np.isfinite(a)])
    scale = max(finite.max() if finite.size else 0.0, size)
    for kind, times in ((None, 1.0), ("rounding", ROUNDED)):
        if np.allclose(a, b, tolerance * times, tolerance * times * scale, equal_nan=True):
            return kind
    return "value"


def _where(a: np.ndarray, b: np.ndarray) -> tuple[str, str]:
    """Both as text, from where they differ most."""
    if a.size <= SHOWN:
        return text(a), text(b)
    x, y = (_wide(value).ravel().astype(np.complex128) for value in (a, b))
    with np.errstate(invalid="ignore"):
        far = np.abs(x - y)
    far = np.where(np.isnan(x) != np.isnan(y), np.inf, np.nan_to_num(far))
    place = int(far.argmax())
    begun = "[…, " if place else "["
    one, other = (text(value.ravel()[place:]).replace("[", begun) for value in (a, b))
    return one, other


def _wide(a: np.ndarray) -> np.ndarray:
    return a.astype(np.float32) if a.dtype.name == "bfloat16" else a


def text(a: np.ndarray) -> str:
    """A few numbers of an array, as one reads them."""
    short = np.array2string(_wide(a).ravel()[:SHOWN], precision=5, separator=", ")
    short = short.replace("\n", "")
    if a.ndim == 0:
        return short.strip("[] ")
    return short if a.size <= SHOWN else short[:-1] + ", …]"
