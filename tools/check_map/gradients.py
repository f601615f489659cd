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
from tools.check_map.axes import takes
from tools.check_map.variants import (
    ENDLESS,
    FLOATS,
    QUADRANTS,
    changed,
    with_different,
    with_number,
)

RAISED = (
    RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AttributeError,
    AssertionError, BufferError,
)  # fmt: skip
# Kinks and poles are at 0, ends of domains at 1 and -1; 2 and -2 are outside of some.
FINITE = (0.0, 1.0, -1.0, 2.0, -2.0)
INFINITE = (float("inf"), float("-inf"))


def widened(call: Call) -> Call:
    """The call in float64, its arrays ready for a gradient."""

    def change(x: torch.Tensor) -> torch.Tensor:
        return x.detach().double().requires_grad_() if x.dtype in FLOATS else x

    return changed(call, change)


def points(row: Row, seed: Call) -> Iterator[Call]:
    """The call at points where a function may have no derivative: 0, ends of domains, infinities.

    Arrays hold one number, so that those of a pair are equal; or one after the other, where those
    of a pair are not. The call without its optional arguments is tried there too.
    """
    bare = replace(seed, args=_required(seed), kwargs={})
    for call in (seed, bare) if _differs(seed, bare) and takes(bare) else (seed,):
        numbers = FINITE if row.name in ENDLESS else FINITE + INFINITE
        for number in numbers:
            yield widened(changed(call, partial(_full, number=number)))
        yield widened(with_different(call, FINITE))
    first = seed.args[0] if seed.args else None
    if row.name not in ENDLESS and getattr(first, "dtype", None) in FLOATS:
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
    if call.after is not None:
        return None  # results are not unique
    positions = [i for i, x in enumerate(call.args) if getattr(x, "requires_grad", False)]
    inputs = [call.args[i].detach().clone().requires_grad_() for i in positions]
    try:
        ours = _torch_gradients(call, positions, inputs)
        args, kwargs = jax_arguments(row, call)
    except (*RAISED, RefusedError):
        return None
    if not positions or ours is None:
        return None

    def loss(*arrays: Any) -> Any:
        results = function(*_replaced(args, positions, arrays), **kwargs)
        outs = [x for x in leaves(results) if jnp.issubdtype(jnp.result_type(x), jnp.inexact)]
        return sum((x * weights(x.shape)).real.sum() for x in outs)

    try:
        theirs = jax.grad(loss, tuple(range(len(positions))))(*map(to_jax, inputs))
    except Exception as error:
        if without_axes(call):
            return None  # the values differ already
        return [Difference("gradient", result_text(ours), error_text(error))]
    compared = compare(ours, list(theirs), wide=True)
    return [Difference("gradient", d.torch, d.jax) for d in compared[:1]]


def _torch_gradients(
    call: Call, positions: Sequence[int], inputs: Sequence[torch.Tensor]
) -> list[torch.Tensor] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = call.function(*_replaced(call.args, positions, inputs), **call.kwargs)
        outs = [x for x in leaves(results) if getattr(x, "requires_grad", False)]
        if not outs:
            return None
        total = sum((x * torch.from_numpy(weights(x.shape))).real.sum() for x in outs)
        gradients = torch.autograd.grad(total, inputs, allow_unused=True)
    pairs = zip(gradients, inputs, strict=True)
    # JAX's gradient of a complex input is the conjugate of PyTorch's.
    return [torch.zeros_like(x) if g is None else g.conj() for g, x in pairs]


def weights(shape: Sequence[int]) -> np.ndarray:
    """Factors of a sum, all different."""
    return np.cos(np.arange(np.prod(shape, dtype=int), dtype=np.float64)).reshape(shape)


def _replaced(values: Sequence[Any], positions: Sequence[int], new: Sequence[Any]) -> list[Any]:
    replaced = list(values)
    for position, value in zip(positions, new, strict=True):
        replaced[position] = value
    return replaced
