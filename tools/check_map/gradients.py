"""Gradients of a line and of PyTorch: of samples, and at the points where a function has none."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, without_axes
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import error_text, result_text
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, leaves, to_jax
from tools.check_map.arguments import argument_calls
from tools.check_map.axes import takes
from tools.check_map.changing import (
    FLOATS,
    arrays_of,
    changed,
    nth_changed,
    with_different,
    with_number,
)
from tools.check_map.dtype_variants import QUADRANTS
from tools.check_map.variants import ENDLESS

# Kinks and poles are at 0, ends of domains at 1 and -1; 2 and -2 are outside of some.
FINITE = (0.0, 1.0, -1.0, 2.0, -2.0)
INFINITE = (float("inf"), float("-inf"))
ONLY_JAX = "only JAX differentiates"
# PyTorch never returns from an infinity, or ends the process on its gradient.
_FATAL = ENDLESS | {"torch.nn.functional.grid_sample"}


def widened(call: Call) -> Call:
    """The call in float64, its arrays ready for a gradient."""

    def change(x: torch.Tensor) -> torch.Tensor:
        return x.detach().double().requires_grad_() if x.dtype in FLOATS else x

    return changed(call, change)


def points(row: Row, seed: Call) -> Iterator[Call]:
    """The call at points where a function may have no derivative: 0, ends of domains, infinities.

    Arrays hold one number, so that those of a pair are equal; or one after the other, where those
    of a pair are not; or one array holds an infinity or NaN beside finite ones. The call without
    its optional arguments, and with special ones, is tried there too.
    """
    bare = replace(seed, args=_required(seed), kwargs={})
    infinite = () if row.name in _FATAL else INFINITE
    for call in (seed, bare) if _differs(seed, bare) and takes(bare) else (seed,):
        for number in FINITE + infinite:
            yield widened(changed(call, partial(_full, number=number)))
        yield widened(with_different(call, FINITE))
    places = [i for i, x in enumerate(arrays_of(seed)) if x.dtype in FLOATS]
    for place in places[:3] if infinite and len(places) > 1 else ():
        for number in (*INFINITE, float("nan")):
            yield widened(nth_changed(seed, place, partial(_full, number=number)))
    for value, variant in argument_calls(row, seed):
        if isinstance(value, torch.dtype):
            continue
        yield widened(with_different(variant, FINITE))
        for number in (0.0, *infinite[:1]):
            yield widened(changed(variant, partial(_full, number=number)))
    first = seed.args[0] if seed.args else None
    if infinite and getattr(first, "dtype", None) in FLOATS:
        yield widened(with_number(seed, 0, 0, float("nan")))


def in_quadrants(call: Call) -> Call:
    """The call with complex numbers of all quadrants."""

    def change(x: torch.Tensor) -> torch.Tensor:
        return x.detach().to(torch.complex128) if x.dtype in FLOATS else x

    different = with_different(changed(call, change), QUADRANTS)
    return changed(different, lambda x: x.requires_grad_() if x.is_complex() else x)


def _required(call: Call) -> tuple[Any, ...]:
    """The arguments up to the last array."""
    last = max((i for i, x in enumerate(call.args) if isinstance(x, torch.Tensor)), default=-1)
    return call.args[: last + 1]


def _differs(call: Call, bare: Call) -> bool:
    return len(bare.args) < len(call.args) or bool(call.kwargs)


def _full(x: torch.Tensor, number: float) -> torch.Tensor:
    return torch.full_like(x, number) if x.dtype in FLOATS else x


def gradient_differences(
    row: Row, function: Callable[..., Any], call: Call
) -> list[Difference] | None:
    """How the gradients of a weighted sum of all results differ; None where there are none."""
    positions = [i for i, x in enumerate(call.args) if getattr(x, "requires_grad", False)]
    if call.after is not None or not positions:
        return None  # results are not unique, or nothing has a gradient
    try:
        args, kwargs = jax_arguments(row, call)
    except RefusedError:
        return None

    def total(inputs: Sequence[torch.Tensor]) -> Any:
        results = call.function(*_replaced(call.args, positions, inputs), **call.kwargs)
        outs = [x for x in leaves(results) if getattr(x, "requires_grad", False)]
        return sum((x * torch.from_numpy(weights(x.shape))).real.sum() for x in outs)

    def gradients(places: Sequence[int]) -> list[jax.Array]:
        chosen = [positions[place] for place in places]

        def loss(*arrays: Any) -> Any:
            results = function(*_replaced(args, chosen, arrays), **kwargs)
            outs = [x for x in leaves(results) if jnp.issubdtype(jnp.result_type(x), jnp.inexact)]
            return sum((x * weights(x.shape)).real.sum() for x in outs)

        inputs = [to_jax(call.args[position].detach()) for position in chosen]
        return [*jax.grad(loss, tuple(range(len(chosen))))(*inputs)]

    ours = torch_gradients(total, [call.args[position] for position in positions])
    # Of an array without axes, the values differ already where JAX raises.
    return compared(ours, gradients, not without_axes(call))


class NoGradientError(Exception):
    """PyTorch's result does not depend on an input in a way that has a gradient."""


def torch_gradients(
    total: Callable[[Sequence[torch.Tensor]], Any], inputs: Sequence[torch.Tensor]
) -> list[torch.Tensor | Exception]:
    """The gradient of each input, or what PyTorch raises for it; none where the call fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            whole = _gradients(total, inputs, [*range(len(inputs))])
        except Exception:  # the call itself fails
            return []
        if isinstance(whole, list) or len(inputs) == 1:
            return whole if isinstance(whole, list) else [whole]
        each = [_gradients(total, inputs, [place]) for place in range(len(inputs))]
        return [one[0] if isinstance(one, list) else one for one in each]


def _gradients(
    total: Callable[[Sequence[torch.Tensor]], Any],
    inputs: Sequence[torch.Tensor],
    places: Sequence[int],
) -> list[torch.Tensor | Exception] | Exception:
    """Gradients of the inputs at some places, or the error of their computation."""
    ready = [x.detach().clone().requires_grad_(place in places) for place, x in enumerate(inputs)]
    result, chosen = total(ready), [ready[place] for place in places]
    if not getattr(result, "requires_grad", False):
        return NoGradientError()
    try:
        made = torch.autograd.grad(result, chosen, allow_unused=True)
    except Exception as error:
        return error
    # JAX's gradient of a complex input is the conjugate of PyTorch's.
    pairs = zip(made, chosen, strict=True)
    return [torch.zeros_like(x) if g is None else g.conj() for g, x in pairs]


def compared(
    ours: Sequence[torch.Tensor | Exception],
    theirs: Callable[[Sequence[int]], Any],
    only_pytorch: bool,
) -> list[Difference] | None:
    """How gradients differ; None where neither has any.

    Args:
        ours: PyTorch's, or its errors.
        theirs: gives JAX's of the inputs at some places.
        only_pytorch: whether an error of JAX alone is a difference.
    """
    given = [place for place, x in enumerate(ours) if not isinstance(x, Exception)]
    differences = [
        found
        for place, error in enumerate(ours)
        if isinstance(error, Exception) and (found := _of_jax_only(error, theirs, place))
    ]
    if not given:
        return differences[:1] or None
    expected = [ours[place] for place in given]
    try:
        differences += compare(expected, theirs(given), wide=True)
    except Exception as error:
        if not only_pytorch:
            return differences[:1] or None
        differences.append(Difference("gradient", result_text(expected), error_text(error)))
    only = [d for d in differences if d.kind == ONLY_JAX]
    return only[:1] + [d for d in differences if d.kind != ONLY_JAX][:1]


def at_points(trial: str, differences: Sequence[Difference]) -> list[Difference]:
    """The differences of gradients at ordinary points, or at kinks."""
    kept = [d for d in differences if trial != "kink" or not _of_values(d)]
    return [d if d.kind == ONLY_JAX else d._replace(kind=trial) for d in kept]


def _of_values(difference: Difference) -> bool:
    """Whether a difference is less of a gradient than of a call: JAX refuses it, or rounds."""
    refused = difference.kind == "gradient" and "Error: " in difference.jax
    return refused or difference.kind == "rounding"


def _of_jax_only(
    error: Exception, theirs: Callable[[Sequence[int]], Any], place: int
) -> Difference | None:
    """The difference where PyTorch has no gradient of an input, and JAX has one."""
    try:
        gradient = theirs([place])
    except Exception:
        return None  # neither has one
    numbers = np.concatenate([np.ravel(each) for each in gradient])
    if np.isnan(numbers).all() or (isinstance(error, NoGradientError) and not numbers.any()):
        return None
    text = "no gradient" if isinstance(error, NoGradientError) else error_text(error)
    return Difference(ONLY_JAX, text, result_text(gradient))


def weights(shape: Sequence[int]) -> np.ndarray:
    """Factors of a sum, all different."""
    return np.cos(np.arange(np.prod(shape, dtype=int), dtype=np.float64)).reshape(shape)


def _replaced(values: Sequence[Any], positions: Sequence[int], new: Sequence[Any]) -> list[Any]:
    replaced = list(values)
    for position, value in zip(positions, new, strict=True):
        replaced[position] = value
    return replaced
