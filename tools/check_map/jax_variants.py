"""More calls made of a sample of a JAX name: other dtypes, numbers, arguments and operands."""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxvstorch._port.map.row import Row
from tools.check_map.arguments import other_values, trial_of
from tools.check_map.dtype_variants import POLES, QUADRANTS
from tools.check_map.gradients import FINITE, INFINITE
from tools.check_map.jax_samples import DTYPES, Sample
from tools.check_map.jax_values import bfloat16
from tools.check_map.variants import ENDLESS, EXTREMES, FACTORS

# Dtypes of two arrays beside each other.
_PAIRS = (
    (np.int32, np.float32), (np.float32, np.int32), (np.bool_, np.float32), (np.bool_, np.int32),
    (np.float16, np.float32), (bfloat16, np.float16), (np.uint8, np.int8),
)  # fmt: skip
# The trials of a dtype, where PyTorch may refuse it.
OF_DTYPES = frozenset({*(np.dtype(dtype).name for dtype in DTYPES), "complex infinity"})
_SPECIAL = (float("nan"), float("inf"), float("-inf"), 0.0)
_NARROWER = {np.dtype(np.float32): bfloat16, np.dtype(np.int32): np.uint8}
# PyTorch ends the process on NaN, or never returns; LAPACK writes wherever an index says.
_ENDLESS = re.compile(r"eig|pinv")
_UNCHECKED = re.compile(r"lu_|householder|ormqr|orgqr")


def variants(row: Row, samples: Sequence[Sample]) -> Iterator[Sample]:
    """Each kind of variant of a sample of floats and one of integers; either may be refused."""
    if _UNCHECKED.search(row.name):
        return
    for number, sample in enumerate(_seeds(samples)):
        yield from _of_operands(sample)
        yield replace(_with_different(sample, FINITE), kind="0, 1, -1, 2 and -2")
        if number == 0:
            yield from _of_dtypes(sample)
            yield from _of_numbers(sample)
            yield from _of_casts(row, sample)
            complexes = _changed(sample, lambda a: _cast_floats(a, np.complex64))
            yield replace(_with_different(complexes, QUADRANTS), kind="complex64")
            if not FACTORS.search(f"{row.name} {row.expression}"):
                yield replace(_with_different(complexes, POLES), kind="complex infinity")
            yield from _of_arguments(row, sample)
            yield from _of_shapes(row, sample)


def _of_shapes(row: Row, sample: Sample) -> Iterator[Sample]:
    """Numbers that are not finite, and arrays of none along each axis."""
    if not _ENDLESS.search(row.name):
        yield replace(_with_different(sample, _SPECIAL), kind="NaN and inf")
        if not any(map(callable, sample.args)):  # a loop may never end on such numbers
            yield replace(_with_different(sample, EXTREMES), kind="large and small")
    for axis in range(max(a.ndim for a in _arrays(sample.args))):
        yield replace(_changed(sample, partial(_emptied, axis=axis)), kind="empty")


def points(row: Row, sample: Sample) -> Iterator[Sample]:
    """The sample at points where a function may have no derivative, with special arguments too."""
    endless = any(name in (row.expression or "") for name in ENDLESS)
    for number in (*FINITE, *INFINITE, *[float("nan")] * (not endless)):
        yield _changed(sample, partial(_full, number=number))
    yield _with_different(sample, FINITE)
    arrays = [i for i, a in enumerate(sample.args) if isinstance(a, np.ndarray)]
    for position in arrays[:3] if len(arrays) > 1 else ():
        for number in (*INFINITE, float("nan")):
            full = _full(sample.args[position], number)
            yield _with_argument(sample, position, full, sample.kind)
    for value, variant in argument_samples(row, sample):
        if value != () and not isinstance(value, type):  # of which the results' shapes differ
            yield _with_different(variant, FINITE)
            yield _changed(variant, partial(_full, number=0.0))


def _seeds(samples: Sequence[Sample]) -> list[Sample]:
    """The first sample whose first array has axes, and the first one of integers.

    What a loop is given stays: it may never end on other numbers.
    """
    firsts = [
        (s, arrays[0])
        for s in samples
        if (arrays := _arrays(s.args)) and s.called is None
        and (isinstance(s.args[0], np.ndarray) or not any(map(callable, s.args)))
    ]  # fmt: skip
    firsts.sort(key=lambda pair: not isinstance(pair[0].args[0], np.ndarray))
    ordinary = [(s, a) for s, a in firsts if a.ndim and a.size and np.isfinite(_wide(a)).all()]
    of_kind = [[s for s, a in ordinary if a.dtype == d] for d in (np.float32, np.int32)]
    chosen = [some[0] for some in of_kind if some]
    return chosen or [s for s, _ in ordinary[:1]]


def _arrays(value: Any) -> list[np.ndarray]:
    """The arrays among arguments, those in lists and tuples too."""
    if isinstance(value, list | tuple):
        return [array for item in value for array in _arrays(item)]
    return [value] if isinstance(value, np.ndarray) else []


def _wide(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind in "fciub" else array.astype(np.float32)


def _of_dtypes(sample: Sample) -> Iterator[Sample]:
    own = _arrays(sample.args)[0].dtype
    for dtype in DTYPES:
        if own != dtype:
            yield replace(_changed(sample, partial(_cast, own=own, dtype=dtype)), kind="")


def _cast(array: np.ndarray, own: Any, dtype: Any) -> np.ndarray:
    return array.astype(dtype) if array.dtype == own else array


def _full(array: np.ndarray, number: float) -> np.ndarray:
    return np.full_like(array, number) if array.dtype.kind == "f" else array


def _cast_floats(array: np.ndarray, dtype: Any) -> np.ndarray:
    return array.astype(dtype) if array.dtype.kind == "f" else array


def _of_operands(sample: Sample) -> Iterator[Sample]:
    """Each array as one without dimensions of every dtype, and those behind it as numbers."""
    arrays = [i for i, a in enumerate(sample.args) if isinstance(a, np.ndarray)]
    narrow = _changed(sample, lambda a: a.astype(_NARROWER.get(a.dtype, a.dtype)))
    for position in arrays if len(arrays) > 1 else ():
        for dtype in DTYPES if position else ():
            yield _with_argument(sample, position, np.array(1, dtype), "0-d of another dtype")
        one = np.array(1, sample.args[position].dtype)
        yield _with_argument(narrow, position, one, "0-d of another dtype")
        for number in (True, 2, 2.5) if position else ():
            yield _with_argument(sample, position, number, "a number")
    yield from _of_pairs(sample)


def _of_pairs(sample: Sample) -> Iterator[Sample]:
    """Two arrays of different dtypes, with axes: those without are a kind of trial of their own."""
    arrays = _arrays(sample.args)
    if len(arrays) < 2 or not all(array.ndim for array in arrays):
        return
    for pair in _PAIRS:
        dtypes = iter(pair)

        def typed(array: np.ndarray, dtypes: Iterator[Any] = dtypes) -> np.ndarray:
            dtype = next(dtypes, array.dtype)
            return _positive(array, dtype) if dtype is np.uint8 else array.astype(dtype)

        yield replace(_changed(sample, typed), kind="two dtypes")


def widened(sample: Sample) -> Sample:
    """The sample with its arrays in one dtype that holds them all."""
    dtypes = [array.dtype for array in _arrays(sample.args)]
    return _changed(sample, lambda array: array.astype(jnp.result_type(*dtypes)))


def in_common_dtypes(sample: Sample) -> Iterator[Sample]:
    """The sample with arrays of float32, and of int32, for those of its first array's dtype."""
    for own in [array.dtype for array in _arrays(sample.args)[:1]]:
        for dtype in (np.float32, np.int32):
            if own != dtype:
                yield _changed(sample, partial(_cast, own=own, dtype=dtype))


def _of_numbers(sample: Sample) -> Iterator[Sample]:
    """Numbers beside arrays of booleans and of small integers, which may not hold them."""
    if len(sample.args) < 2 or not all(isinstance(a, np.ndarray) for a in sample.args[:2]):
        return
    for dtype, numbers, kind in (
        (np.bool_, (True, 2, 2.5), ""), (np.uint8, (2.5, -1, 300), "numbers beyond int8"),
    ):  # fmt: skip
        narrow = _changed(sample, partial(_positive, dtype=dtype))
        for number in numbers:
            of_int = kind if type(number) is int else ""
            yield _with_argument(narrow, 1, number, of_int)


def _positive(array: np.ndarray, dtype: Any) -> np.ndarray:
    """An array in a dtype that may hold no negative numbers."""
    magnitude: np.ndarray = array if array.dtype.kind == "b" else abs(array)
    return magnitude.astype(dtype)


def _of_casts(row: Row, sample: Sample) -> Iterator[Sample]:
    """An array, and a list, of numbers that the dtype of the result does not hold."""
    parameters = inspect.signature(eval(f"lambda {row.made}: 0", {})).parameters
    whole = len(sample.args) == 1 and isinstance(sample.args[0], np.ndarray)
    if "dtype" not in parameters or "dtype" in row.refused or not whole:
        return
    for dtype in (np.uint8, np.int8):
        for value in (np.array([-2, 300], np.int32), [-2, 300], [1.5, 2.0]):
            kwargs = sample.kwargs | {"dtype": dtype}
            yield replace(sample, args=(value,), kwargs=kwargs, kind="numbers beyond int8")


def _of_arguments(row: Row, sample: Sample) -> Iterator[Sample]:
    """Special arguments, beside NaN and infinities, other dtypes and no numbers too."""
    for value, variant in argument_samples(row, sample):
        yield variant
        floats = isinstance(value, type) and np.dtype(value).kind != "i"
        if not _ENDLESS.search(row.name) and not floats:
            yield replace(_with_different(variant, _SPECIAL), kind="NaN and inf")
        if not isinstance(value, bool | str):
            continue
        for dtype in (np.bool_, np.int32, np.complex64):
            yield replace(_changed(variant, partial(_cast_floats, dtype=dtype)), kind="")
        yield replace(_changed(variant, partial(_emptied, axis=0)), kind="empty")


def argument_samples(row: Row, sample: Sample) -> Iterator[tuple[Any, Sample]]:
    """Numbers at 0, 1, -1 and 5, booleans flipped, and no axes, each with its sample."""
    parameters = inspect.signature(eval(f"lambda {row.made}: 0", {"jnp": jnp})).parameters
    names = [name for name, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    given = dict(zip(parameters, sample.args, strict=False)) | sample.kwargs
    for name in parameters:
        if name in row.refused or name not in row.used:
            continue
        empty = [()] if name in ("axis", "axes", "shape") else []
        for value in other_values(row, given, name) + empty:
            if name in names and names.index(name) < len(sample.args):
                yield value, _with_argument(sample, names.index(name), value, "arguments")
            else:
                kwargs = sample.kwargs | {name: value}
                yield value, replace(sample, kwargs=kwargs, kind="arguments")


def special_samples(row: Row, sample: Sample) -> Iterator[Sample]:
    """The same of a schedule, or of what draws, whose counts and scales may be out of range."""
    for value, variant in argument_samples(row, sample):
        if not isinstance(value, type) or np.dtype(value).kind == "f":  # JAX draws no others
            yield replace(variant, kind=trial_of(value))


def _with_argument(sample: Sample, position: int, value: Any, kind: str) -> Sample:
    args = (*sample.args[:position], value, *sample.args[position + 1 :])
    return replace(sample, args=args, kind=kind)


def _changed(sample: Sample, change: Callable[[np.ndarray], np.ndarray]) -> Sample:
    return replace(sample, args=_change(sample.args, change))


def _change(value: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_change(item, change) for item in value)
    return change(value) if isinstance(value, np.ndarray) else value


def _with_different(sample: Sample, numbers: Sequence[complex]) -> Sample:
    """The sample with some numbers one after the other; each array begins with another one."""
    offsets = iter(range(1000))

    def change(array: np.ndarray) -> np.ndarray:
        if array.dtype.kind in "iub" and not {*numbers} <= {*FINITE}:
            return array
        begin = next(offsets)
        chosen = np.array([*islice(cycle(numbers), begin, begin + array.size)])
        return chosen.astype(array.dtype).reshape(array.shape)

    return _changed(sample, change)


def _emptied(array: np.ndarray, axis: int) -> np.ndarray:
    return array.take([], axis) if array.ndim > axis else array
