"""Calls to try a name on: PyTorch's own samples (OpInfo is a private module), or a line's own."""

import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, copied

TURNED = frozenset(
    {"Tensor.polygamma", "Tensor.where"}
)  # methods whose function takes its arguments in another order
EACH = 16  # calls of one operation and dtype, spread over all that PyTorch has
every = 1  # of these calls, one in so many: a test that has little time tries fewer of the same


@cache
def _operations() -> dict[str, list[Any]]:
    """PyTorch's descriptions of its operations, by name."""
    from torch.testing._internal.common_methods_invocations import op_db

    found = defaultdict(list)
    for operation in op_db:
        for name in {operation.name, *(alias.name for alias in operation.aliases)}:
            found[f"torch.{name}"].append(operation)
            found[f"Tensor.{name}"].append(operation)
    return found


def operations(name: str) -> list[Any]:
    """PyTorch's descriptions of what a name does: one for each variant."""
    return [] if name in TURNED else _operations().get(name, [])


def seeded() -> None:
    """Make the samples that follow the same each time."""
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


def calls(operation: Any, dtype: torch.dtype, gradient: bool = False) -> list[Call]:
    """PyTorch's own samples of an operation, as calls of the function itself."""
    if dtype not in operation.supported_dtypes("cpu"):
        return []
    seeded()
    samples = list(operation.sample_inputs("cpu", dtype, requires_grad=gradient))
    return [_call(operation, sample) for sample in spread(samples)]


def refused_calls(operation: Any) -> list[Call]:
    """Calls that PyTorch refuses, of its own samples for that."""
    if operation.error_inputs_func is None:
        return []
    seeded()
    found = [error.sample_input for error in operation.error_inputs("cpu")]
    return [Call(operation.op, (s.input, *s.args), s.kwargs) for s in spread(found)]


def spread(samples: Sequence[Any]) -> Sequence[Any]:
    """Some of the samples, from all over the list."""
    return samples[:: max(1, -(-len(samples) // EACH))][::every]


def _call(operation: Any, sample: Any) -> Call:
    args, after = (sample.input, *sample.args), sample.output_process_fn_grad
    if "SampleInput.__init__" in getattr(after, "__qualname__", ""):
        after = None  # by default nothing is done
    if not getattr(operation.op, "__module__", "").startswith("torch.testing"):
        return Call(operation.op, args, sample.kwargs, after)
    given = copied(args)  # a function of the tests, which gives the arguments in another order
    with _Seen() as seen, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operation.op(*given, **sample.kwargs)
    bare = (operation.name.rpartition(".")[2], operation.name.replace(".", "_"))
    own = [found for found in seen.calls if getattr(found[0], "__name__", "") in bare]
    return Call(*own[0], after) if len(own) == 1 else Call(operation.op, args, sample.kwargs, after)


class _Seen(torch.overrides.TorchFunctionMode):
    """Records the outermost calls of PyTorch's functions."""

    def __enter__(self) -> "_Seen":
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.calls.append((func, args, kwargs or {}))
        return func(*args, **(kwargs or {}))  # PyTorch leaves the mode while this runs


def own(row: Row, function: Callable[..., Any]) -> list[Call]:
    """The calls that a line gives behind ``try:``."""
    written = row.option("try")
    if not written:
        return []
    seeded()
    tuples = eval(written, {"torch": torch, "np": np, **OWN})
    return [Call(function, t if isinstance(t, tuple) else (t,)) for t in tuples]


OWN = {
    "x": torch.tensor([[1.5, -2.0, 0.0], [3.0, 0.5, -1.0]]),
    "n": torch.tensor([[1, -2, 0], [3, 5, -1]]),
    "b": torch.tensor([[True, False, True], [False, False, True]]),
}
