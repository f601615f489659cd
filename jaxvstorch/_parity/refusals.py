"""What check_parity can be asked for: each argument is checked before anything is called."""

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import arrays_in, hold_array, leaves
from jaxvstorch._measure.waiting import arrays_of
from jaxvstorch._parity.comparison import TOLERANCE


def require_functions(**functions: Any) -> None:
    """Check that each of the named arguments can be called.

    Raises:
        TypeError: one of them cannot.
    """
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{name} must be callable, not {type(function).__name__}")


def require_inputs(inputs: Any) -> None:
    """Check that ``inputs`` is a tuple of what both frameworks can take.

    Raises:
        TypeError: it is not, or they cannot.
    """
    if not isinstance(inputs, tuple):
        raise TypeError(
            f"inputs must be a tuple of arguments, not {type(inputs).__name__}; "
            "for a single argument write (x,)"
        )
    for i, value in enumerate(inputs):
        _require_plain(f"input {i}", value)


def _require_plain(what: str, value: Any) -> None:
    for framework in _frameworks.FRAMEWORKS:
        # JAX's random keys are arrays too, and no NumPy array could stand for one.
        if any(not str(a.dtype).startswith("key<") for a in arrays_of(framework, [value])):
            raise TypeError(
                f"{what} holds an array of {_frameworks.TITLES[framework]}; pass NumPy arrays, "
                "which are converted for each side"
            )
    try:
        arrays = arrays_in(value)
    except RecursionError as error:
        raise TypeError(f"{what} holds itself, or is nested too deeply") from error
    for array in arrays:
        require_unmasked(what, array)
        _require_number(what, array.dtype)


def _require_number(what: str, dtype: np.dtype[Any]) -> None:
    if not _is_number(dtype):
        raise TypeError(
            f"{what} has dtype {dtype}, which JAX and PyTorch do not both have; pass "
            "booleans, integers, floating-point or complex numbers of at most 64 bits a part, in "
            "this machine's byte order"
        )


def require_unmasked(what: str, value: Any) -> None:
    """Check that an array has no mask.

    Raises:
        TypeError: it is a masked array of NumPy.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{what} is a masked array, but neither JAX nor PyTorch has masks: pass "
            "`x.filled(value)` or `x.compressed()`, or pass the mask as a separate array"
        )


def _is_number(dtype: np.dtype[Any]) -> bool:
    plain = dtype.kind in "biufc" and dtype.char not in "gG" and dtype.isnative
    return plain or dtype in TOLERANCE


def positions(gradient: Iterable[int], inputs: tuple[Any, ...]) -> tuple[int, ...]:
    """The positions in ``gradient``, each checked.

    Raises:
        TypeError: one is not a whole number, or its input is neither a floating-point array nor
            containers of such arrays alone.
        IndexError: there is no input there.
        ValueError: one is given twice.
    """
    if not isinstance(gradient, Iterable) or isinstance(gradient, str):
        raise TypeError(f"gradient must be a tuple of positions such as (0,), not {gradient!r}")
    wanted: list[int] = []
    for item in gradient:
        position = _position(item)
        if position in wanted:
            raise ValueError(f"gradient names argument {position} twice")
        if not 0 <= position < len(inputs):
            raise IndexError(
                f"gradient names argument {position}; inputs has {len(inputs)}, counted from 0"
            )
        _require_floating(position, inputs[position])
        wanted.append(position)
    return tuple(wanted)


def _require_floating(position: int, value: Any) -> None:
    held = leaves(value) if hold_array(value) else [value]
    dtypes = [getattr(leaf, "dtype", type(leaf).__name__) for leaf in held]
    wrong = [str(dtype) for dtype in dtypes if dtype not in TOLERANCE]
    if wrong:
        raise TypeError(
            f"gradient names argument {position}, which must be a floating-point NumPy array, not "
            f"{wrong[0]}, or hold only such arrays"
        )


def _position(item: Any) -> int:
    if not isinstance(item, bool | np.bool_):
        try:
            return operator.index(item)
        except TypeError:
            pass
    raise TypeError(f"gradient must hold positions, which are whole numbers, not {item!r}")


def require_tolerance(tolerance: Any) -> None:
    """Check that ``tolerance`` is a finite multiple that is not negative.

    Raises:
        TypeError: it is not a real number.
        ValueError: it is negative, infinite or NaN.
    """
    if not isinstance(tolerance, int | float | np.integer | np.floating) or tolerance is True:
        raise TypeError(f"tolerance must be a number, not {tolerance!r}")
    try:
        value = float(tolerance)
    except OverflowError:  # an integer can be too large for one
        value = math.inf
    if not 0 <= value < math.inf:
        raise ValueError(f"tolerance must be finite and not negative, but is {value}")
