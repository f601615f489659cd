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
from jaxvstorch._port.map.running.call import Call, of_pytorch, without_axes
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import call_text, error_text, result_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, leaves, to_jax
from tools.check_map import samples
from tools.check_map.tally import Tally

# JAX compiles an operation for each shape and dtype: the first dtype gets all samples, and the
# others some.
DTYPES = {torch.float32: 1, torch.bfloat16: 3, torch.int64: 2, torch.int32: 3, torch.uint8: 3,
          torch.bool: 3, torch.complex64: 3}  # fmt: skip
RAISED = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AttributeError)


def try_function(row: Row) -> Tally:
    """Run a function's line on every sample."""
    function = eval(row.source(row.expression or ""), namespace())
    tally = Tally()
    for call in samples.written_calls(row, of_pytorch(row.name)):
        tally.add("own", call_text(call), differences(row, function, call))
    for operation, (dtype, every) in itertools.product(
        samples.operations(row.name), DTYPES.items()
    ):
        for call in samples.calls(operation, dtype)[::every]:
            tally.add(str(dtype)[6:], call_text(call), differences(row, function, call))
    for operation in samples.operations(row.name):
        for call in samples.refused_calls(operation):
            tally.add("refused", call_text(call), differences(row, function, call))
    with jax.enable_x64(True):
        for operation in samples.operations(row.name):
            for call in samples.calls(operation, torch.float64)[::3]:
                tally.add("float64", call_text(call), differences(row, function, call))
            for call in samples.calls(operation, torch.float64, gradient=True)[::2]:
                gradients = gradient_differences(row, function, call)
                if gradients is not None:
                    tally.add("gradient", call_text(call), gradients)
    return tally


def differences(row: Row, function: Callable[..., Any], call: Call) -> list[Difference]:
    """How the two differ on a call; nothing where both refuse it."""
    try:
        ours: Any = call()
    except RAISED as error:
        ours = error
    try:
        args, kwargs = jax_arguments(row, call)
        theirs: Any = function(*args, **kwargs)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    except Exception as error:
        theirs = error
    match ours, theirs:
        case Exception(), Exception():
            return []
        case Exception(), _:
            return [Difference("only PyTorch raises", error_text(ours), result_text(theirs))]
        case _, Exception():
            kind = "0-d" if without_axes(call) else "only JAX raises"
            return [Difference(kind, result_text(ours), error_text(theirs))]
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
