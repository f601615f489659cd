"""What the operations of both frameworks do, in words, and the numbers that they are given."""

from typing import Any

import numpy as np

from jaxvstorch._diff.recording import Operand, Value

# Operations that change only the shape or the dtype.
TRANSPARENT = {
    "_conj", "_reshape_alias", "_to_copy", "_unsafe_view", "alias", "broadcast_in_dim", "clone",
    "contiguous", "convert_element_type", "copy", "copy_", "copy_p", "detach", "expand",
    "expand_dims", "flatten", "lift_fresh", "lift_fresh_copy", "optimization_barrier", "permute",
    "ravel", "reduce_precision", "reshape", "squeeze", "stop_gradient", "t", "to", "transpose",
    "unflatten", "unsqueeze", "view", "x[i]",
}  # fmt: skip
# Operations of both frameworks whose result depends on the order of their operands' numbers.
_SORTS = {
    "bmm": "product", "cat": "join", "chunk": "part", "concatenate": "join",
    "conv_general_dilated": "convolution", "convolution": "convolution",
    "dot_general": "product", "dynamic_slice": "part", "embedding": "rows", "gather": "rows",
    "index": "rows", "index_select": "rows", "mm": "product", "select": "part", "slice": "part",
    "split": "part", "stack": "join", "unbind": "part", "unsafe_split": "part",
}  # fmt: skip
_ARITHMETIC = {
    "add": "adds", "add_any": "adds", "amax": "takes the largest", "div": "divides",
    "exp": "takes the exponential", "index_add": "adds at indices",
    "max": "takes the larger", "maximum": "takes the larger", "mean": "takes the mean",
    "min": "takes the smaller", "minimum": "takes the smaller",
    "mul": "multiplies", "reduce_max": "takes the largest", "rsub": "subtracts",
    "scatter-add": "adds at indices", "scatter-max": "takes the largest at indices",
    "scatter-min": "takes the smallest at indices", "scatter_add": "adds at indices",
    "sigmoid": "takes the sigmoid", "logistic": "takes the sigmoid", "sub": "subtracts",
    "tanh": "takes the tanh",
}  # fmt: skip


def does(value: Value) -> str | None:
    """What an operation does to numbers, as a verb; None where no word is known."""
    return _ARITHMETIC.get(value.name.removesuffix("_"))


def sort_of(value: Value) -> str | None:
    """The same word for an operation of either framework; None where none is known."""
    name = value.name.removesuffix("_")
    return _SORTS.get(name, _ARITHMETIC.get(name))


def takes_part(value: Value) -> bool:
    """Whether an operation takes some of its operand's numbers, and leaves the others."""
    return sort_of(value) in ("part", "rows")


def scalars(value: Value, *, with_simple: bool = False) -> list[float]:
    """The numbers among the arguments of a call; without 0 and 1, if these are not asked for."""
    if value.call is None:
        return []
    _, args, kwargs = value.call
    leaves = [*args, *(kwargs.values() if value.name in _SCALED else ())]
    numbers = []
    for x in leaves:
        if isinstance(x, Operand | str | bool | list | tuple | None) or np.ndim(x):
            continue
        kind = np.asarray(x).dtype.kind  # a whole number may be an axis or a size
        if kind == "f" or (kind == "i" and value.name in _ARITHMETIC):
            numbers.append(float(x))
    if with_simple:
        return numbers
    return [abs(x) for x in numbers if abs(x) not in (0.0, 1.0, float("inf"))]


_SCALED = {"add", "sub"}  # whose alpha is a keyword


def written(number: float) -> str:
    """A number as the code has it; one that was rounded to float32 as before."""
    with np.errstate(over="ignore"):
        short = np.float32(number)
    return f"{float(str(short)) if float(short) == number else number:.9g}"


def are_close(one: float, other: float) -> bool:
    """Whether two constants are the same, or one divides where the other multiplies."""
    return any(abs(one - x) <= 1e-6 * abs(x) for x in (other, 1 / other))


def settings(value: Value) -> dict[str, Any]:
    """What is not an array among a call's arguments, by name or position."""
    assert value.call is not None
    _, args, kwargs = value.call
    positions = {f"argument {n}: ": arg for n, arg in enumerate(args)}
    named = {f"{key}=": arg for key, arg in kwargs.items()}
    return {key: arg for key, arg in {**positions, **named}.items() if not isinstance(arg, Operand)}
