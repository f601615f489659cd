"""Functions and methods, tried on PyTorch's own samples, with gradients in float64."""

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, flat, of_pytorch, without_axes
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import error_text, result_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, leaves, to_jax
from tools.check_map import samples
from tools.check_map.outcomes import outcomes, raised
from tools.check_map.tally import Run, Tally
from tools.check_map.variants import of_trial, variants

# JAX compiles an operation for each shape and dtype: the first dtype gets all samples, and the
# others some.
DTYPES = {torch.float32: 1, torch.bfloat16: 6, torch.int64: 2, torch.int32: 4, torch.uint8: 4,
          torch.bool: 4, torch.complex64: 4}  # fmt: skip
RAISED = (
    RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AttributeError,
    AssertionError,
)  # fmt: skip


SMALL = 4  # numbers that a sample has at least, where there are such
SEEDS = 2  # samples that variants are made of


def try_function(row: Row) -> Tally:
    """Run a function's line on every sample, and on variants of some."""
    function = eval(row.source(row.expression or ""), namespace())

    def run(call: Call) -> list[Difference]:
        return differences(row, function, call)

    tally = Tally()
    own = samples.written_calls(row, of_pytorch(row.name))
    for call in own:
        tally.add("own", call, run(call), run)
    for operation, (dtype, every) in itertools.product(
        samples.operations(row.name), DTYPES.items()
    ):
        for call in samples.calls(operation, dtype)[::every]:
            tally.add(str(dtype)[6:], call, run(call), run)
    for operation in samples.operations(row.name):
        for call in samples.refused_calls(operation):
            tally.add("refused", call, run(call), run)
    made = [variants(row, call, few=number > 0) for number, call in enumerate(_seeds(row, own))]
    for trial, variant in [*itertools.chain(*made)][:: samples.stride]:
        tally.add(trial, variant, of_trial(trial, run(variant)), _variant_run(trial, run))
    with jax.enable_x64(True):
        _try_wide(row, function, tally)
    tally.simplify()
    return tally


def _try_wide(row: Row, function: Callable[..., Any], tally: Tally) -> None:
    """Try samples of float64, and their gradients."""
    for operation in samples.operations(row.name):
        for call in samples.calls(operation, torch.float64)[::4]:
            tally.add("float64", call, differences(row, function, call))
        for call in samples.calls(operation, torch.float64, gradient=True)[::3]:
            gradients = gradient_differences(row, function, call)
            if gradients is not None:
                tally.add("gradient", call, gradients)


def _seeds(row: Row, own: Sequence[Call]) -> list[Call]:
    """A small sample and another one, of float32 if there are any."""
    calls: list[Call] = []
    for dtype in (torch.float32, torch.int64, torch.complex64, torch.bool):
        for operation in samples.operations(row.name):
            made = samples.calls(operation, dtype, all_of=True)
            calls += [call for call in made if _numbers(call) > 1]
        if calls:
            break
    calls = [call for call in own if _numbers(call) > 1] + calls

    def size(call: Call) -> tuple[bool, bool, int]:
        return without_axes(call), _numbers(call) < SMALL, _numbers(call)

    by_size = sorted(calls, key=size)
    others = [call for call in calls[len(calls) // 2 :] if call is not by_size[0]]
    return [*by_size[:1], *others[: SEEDS - 1]]


def _numbers(call: Call) -> int:
    """How many numbers the arrays hold; none where one is empty."""
    sizes = [x.numel() for x in flat((call.args, call.kwargs)) if isinstance(x, torch.Tensor)]
    return 0 if 0 in sizes or call.after else sum(sizes)


def _variant_run(trial: str, run: Run) -> Run:
    return lambda call: of_trial(trial, run(call))


def differences(row: Row, function: Callable[..., Any], call: Call) -> list[Difference]:
    """How the two differ on a call; nothing where both refuse it."""
    try:
        ours, theirs = outcomes(row, function, call)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    errors = raised(ours, theirs, "0-d" if without_axes(call) else "only JAX raises")
    if errors is not None:
        return errors
    if call.after is not None:
        ours, theirs = call.after(ours), call.after(_in_torch(theirs))
    return compare(ours, theirs, call.wide)


def _in_torch(value: Any) -> Any:
    """JAX's results as PyTorch's tests take them."""
    if isinstance(value, tuple | list):
        return tuple(_in_torch(item) for item in value)
    return torch.from_numpy(np.array(value))


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
