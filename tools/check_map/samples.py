"""Calls to try a name on: PyTorch's own samples (a private module has them), or a line's."""

import copy
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, copied, flat

# Methods whose function takes its arguments in another order.
REORDERED = frozenset({"Tensor.polygamma", "Tensor.where"})
NUMPY_AXES = 64  # the most that an array of NumPy's has
MOST = 12  # calls of one operation and dtype, spread over all of PyTorch's samples
stride = 1  # between the calls that are tried: a test with little time takes fewer of the same


@cache
def _operations() -> dict[str, list[Any]]:
    """PyTorch's descriptions of its operations, by name."""
    from torch.testing._internal.common_methods_invocations import op_db

    by_name = defaultdict(list)
    for operation in op_db:
        for named in (operation, *operation.aliases):
            described = copy.copy(operation)
            described.op = named.op  # torch.maximum is an alias of torch.max, and another function
            by_name[f"torch.{named.name}"].append(described)
            by_name[f"Tensor.{named.name}"].append(described)
    return by_name


def operations(name: str) -> list[Any]:
    """PyTorch's descriptions of a name's operation, one for each variant."""
    return [] if name in REORDERED else _operations().get(name, [])


def seed() -> None:
    """Seed all generators, so that the next samples are the same each time."""
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


def calls(
    operation: Any, dtype: torch.dtype, gradient: bool = False, all_of: bool = False
) -> list[Call]:
    """PyTorch's own samples of an operation, as calls of the function itself.

    Args:
        operation: as PyTorch describes it.
        dtype: of the samples.
        gradient: whether their gradients are needed.
        all_of: whether the stride does not matter.
    """
    if dtype not in operation.supported_dtypes("cpu"):
        return []
    seed()
    samples = list(operation.sample_inputs("cpu", dtype, requires_grad=gradient))
    spread_out = spread(samples, 1 if all_of else stride)
    return [_call(operation, sample) for sample in spread_out]


def refused_calls(operation: Any) -> list[Call]:
    """Calls that PyTorch refuses, from its own samples of errors."""
    if operation.error_inputs_func is None:
        return []
    seed()
    errors = [error.sample_input for error in operation.error_inputs("cpu")]
    samples = [sample for sample in errors if "out" not in sample.kwargs]  # JAX has no out=
    calls = [Call(operation.op, (s.input, *s.args), s.kwargs) for s in spread(samples)]
    return [call for call in calls if all(map(_has_numpy, flat((call.args, call.kwargs))))]


def _has_numpy(value: Any) -> bool:
    """Whether NumPy can have a value's array: it is none on the device ``meta``, for instance."""
    if not isinstance(value, torch.Tensor):
        return True
    return value.device.type == "cpu" and value.ndim <= NUMPY_AXES


def spread(samples: Sequence[Any], step: int | None = None) -> Sequence[Any]:
    """Some of the samples, from all over the list."""
    return samples[:: max(1, -(-len(samples) // MOST))][:: step or stride]


def _call(operation: Any, sample: Any) -> Call:
    args, after = (sample.input, *sample.args), sample.output_process_fn_grad
    if "SampleInput.__init__" in getattr(after, "__qualname__", ""):
        after = None  # by default nothing is done
    if not getattr(operation.op, "__module__", "").startswith("torch.testing"):
        return Call(operation.op, args, sample.kwargs, after)
    arguments = copied(args)  # a function of PyTorch's tests may reorder them
    with _CallRecorder() as recorder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operation.op(*arguments, **sample.kwargs)
    bare = (operation.name.rpartition(".")[2], operation.name.replace(".", "_"))
    matching = [call for call in recorder.calls if getattr(call[0], "__name__", "") in bare]
    return (
        Call(*matching[0], after)
        if len(matching) == 1
        else Call(operation.op, args, sample.kwargs, after)
    )


class _CallRecorder(torch.overrides.TorchFunctionMode):
    """Records the outermost calls of PyTorch's functions."""

    def __enter__(self) -> "_CallRecorder":
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.calls.append((func, args, kwargs or {}))
        return func(*args, **(kwargs or {}))  # PyTorch leaves the mode while this runs


def written_calls(row: Row, function: Callable[..., Any]) -> list[Call]:
    """The calls that a line gives behind ``try:``: tuples of arguments, or ``call(...)``."""
    written = row.option("try")
    if not written:
        return []
    seed()
    inputs = {"torch": torch, "np": np, "call": partial(_written, function), **INPUTS}
    items = [item if isinstance(item, tuple | Call) else (item,) for item in eval(written, inputs)]
    return [item if isinstance(item, Call) else Call(function, item) for item in items]


def _written(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Call:
    return Call(function, args, kwargs)


INPUTS = {
    "x": torch.tensor([[1.5, -2.0, 0.0], [3.0, 0.5, -1.0]]),
    "n": torch.tensor([[1, -2, 0], [3, 5, -1]]),
    "b": torch.tensor([[True, False, True], [False, False, True]]),
}
