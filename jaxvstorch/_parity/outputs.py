"""What a function may return to check_parity: arrays of numbers, and containers of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxvstorch._frameworks.containers import CONTAINERS, leaves, named_leaves
from jaxvstorch._measure.calls import require_finished
from jaxvstorch._parity.comparison import TOLERANCE
from jaxvstorch._parity.refusals import require_unmasked

Arrays = tuple[np.ndarray[Any, Any], ...]

_NUMBER = np.ndarray | np.generic | bool | int | float | complex


def as_arrays(what: str, value: Any, to_numpy: Callable[[Any], Any]) -> Arrays:
    """What a function returned, as NumPy arrays.

    Args:
        what: the function's name in messages.
        value: what it returned: an array, a Python number, or tuples, lists and dicts of these.
        to_numpy: turns an array of the function's framework into a NumPy array.

    Raises:
        TypeError: it is something else, or an array with a mask, or not an array of numbers.
    """
    require_finished(what, value)
    try:
        outputs = [to_numpy(output) for output in leaves(value)]
    except RecursionError as error:
        nested = f"a {kind_of(value)} that holds itself, or is nested too deeply"
        raise TypeError(f"{what} returned {nested}") from error
    except NotImplementedError as error:  # of PyTorch's device "meta"
        raise TypeError(f"{what} returned an array that holds no numbers: {error}") from error
    came = [kind_of(output) for output in outputs if not isinstance(output, _NUMBER)]
    if came or not outputs:
        held = f" with {came[0]}" if came else " of nothing"
        held = held if isinstance(value, CONTAINERS) else ""
        raise TypeError(
            f"{what} must return an array, or a tuple, list or dict of arrays; it returned "
            f"{kind_of(value)}{held}"
        )
    return tuple(_numbers(what, output) for output in outputs)


def places(value: Any) -> tuple[str, ...]:
    """Where each array stands in the containers that a function returned; one array nowhere."""
    return tuple(place for place, _ in named_leaves(value))


def _numbers(what: str, output: Any) -> np.ndarray[Any, Any]:
    require_unmasked(f"what {what} returned", output)
    array = np.asarray(output)
    if array.dtype.kind in "OSUMm" or array.dtype.names:
        raise TypeError(f"{what} must return numbers; it returned dtype {array.dtype}")
    return array


def require_differentiable(framework: str, outputs: Arrays) -> None:
    """Check that the sum of the outputs is a real floating-point number.

    Raises:
        TypeError: it is not.
    """
    dtypes = [output.dtype for output in outputs]
    if any(dtype.kind == "c" for dtype in dtypes):
        raise TypeError(
            f"gradient needs real outputs; {framework} returns a complex one: "
            "return its real and imaginary parts"
        )
    if not set(dtypes) & TOLERANCE.keys():
        held = ", ".join(map(str, dtypes))
        raise TypeError(f"gradient needs a floating-point output; {framework} returns {held}")


def kind_of(value: Any) -> str:
    """The name of its type, with the package that it comes from."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    return kind.__name__ if package in ("builtins", "__main__") else f"{package}.{kind.__name__}"
