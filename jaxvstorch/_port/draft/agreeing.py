"""Compares two functions by ``check_parity``; the result in words."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from jaxvstorch._diff.diff import diff
from jaxvstorch._diff.jax_side import jax_side
from jaxvstorch._diff.torch_side import TorchSide
from jaxvstorch._frameworks.private.torch import pytree
from jaxvstorch._parity import Parity, check_parity
from jaxvstorch._parity.precision import COARSE
from jaxvstorch._port.map.running.values import array

TOLERANCE = 32.0  # times the tolerance of one operation: a part has many
WIDEST, DEEP = 32.0, 4.0  # times that, where PyTorch's own error is as large, or JAX's


def compared(
    in_jax: Callable[..., Any],
    in_torch: Callable[..., Any],
    inputs: tuple[Any, ...],
    differentiable: bool,
) -> str:
    """Compare two functions; the result in words."""
    gradient = (0,) if differentiable else ()
    what, where = "values and gradients" if differentiable else "values", "in float32 and float64"
    try:
        parity = check_parity(in_jax, in_torch, inputs, gradient=gradient, tolerance=TOLERANCE)
        if not parity.same and (factor := _float32_error(parity)):
            where += ", as far as float32 itself is from float64"
            wider = TOLERANCE * factor
            parity = check_parity(in_jax, in_torch, inputs, gradient=gradient, tolerance=wider)
    except RuntimeError as error:
        if "dtype" not in str(error):
            raise
        what, where = "values", "in float32, which the program casts to"
        reference = partial(_in_float32, in_torch)
        parity = check_parity(in_jax, in_torch, inputs, reference=reference, tolerance=TOLERANCE)
    if any(COARSE in c.note for c in parity.comparisons):
        where += ", with parts in float32, which the program casts to"
    wrong = [str(c) for c in parity.comparisons if not c.same]
    if parity.same:
        return f"at parity: {what}, {where}"
    if wrong and all(text.startswith("torch") for text in wrong):  # such as at a kink
        return f"at parity: {what}, {where}; PyTorch's own float32 differs more"
    apart = [c.note for c in parity.comparisons if not c.compared]
    if apart:
        return f"cannot be compared: {apart[0].partition(': ')[0]}"
    text = "; ".join(wrong or ["nothing was compared"])[:300]
    return f"not at parity: {text}{_where_they_part(in_torch, in_jax, inputs)}"


def _where_they_part(
    in_torch: Callable[..., Any], in_jax: Callable[..., Any], inputs: tuple[Any, ...]
) -> str:
    """The lines where they part first, and why; nothing where ``diff`` cannot tell."""
    try:
        differences = diff(TorchSide(in_torch), jax_side(in_jax), inputs).differences
    except Exception:  # what it cannot run, such as a part that stays a TODO, is said elsewhere
        return ""
    lines = [place.line for place in differences[0].places] if differences else []
    if None in lines or not lines:
        return ""
    where = " and ".join(f"{Path(line.file).name}:{line.number}" for line in lines if line)
    cause = differences[0].cause
    return f"; they part at {where}{': ' * bool(cause)}{cause}"


def _float32_error(parity: Parity) -> float:
    """Twice the largest error in float32 over its tolerance; 0 if none is beyond it.

    PyTorch's own counts up to WIDEST, and JAX's up to DEEP, as over many layers.
    """
    narrow = [c for c in parity.comparisons if not c.what.startswith("jax float64")]
    errors = [(c.error / c.tolerance, c.what.startswith("torch")) for c in narrow if c.tolerance]
    largest = max((error for error, torch in errors if torch or error <= DEEP), default=0.0)
    return min(2 * largest, WIDEST) if largest > 1 else 0.0


def _in_float32(function: Callable[..., Any], *inputs: Any) -> tuple[np.ndarray, ...]:
    """What PyTorch gives in float32 for inputs in float64."""
    leaves, spec = pytree.tree_flatten(inputs)
    narrow = [torch.from_numpy(x) if isinstance(x, np.ndarray) else x for x in leaves]
    floats = [x.float() if getattr(x, "dtype", None) == torch.float64 else x for x in narrow]
    return tuple(array(x) for x in function(*pytree.tree_unflatten(floats, spec)))
