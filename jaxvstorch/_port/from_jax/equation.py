"""Does one operation of a jaxpr in PyTorch on the values that JAX got, and compares."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._frameworks.torch import from_numpy
from jaxvstorch._port.from_jax.decomposing import aligned, defined
from jaxvstorch._port.from_jax.elementwise import Operation
from jaxvstorch._port.from_jax.primitives import operation
from jaxvstorch._port.from_jax.spelling import Recorder, Spelling, constant
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.outcome import Outcome, compare_results, size_of_terms
from jaxvstorch._port.report_data import PortStatus

GENERATOR = "PyTorch draws from a generator: torch.manual_seed, or generator=…"
SIGNED = "in int64: PyTorch has no"
OUT_OF_RANGE = "an index is out of range: JAX clips, fills or drops it; PyTorch raises"
REPEATED = "an index occurs twice: JAX applies each, and an assignment in PyTorch only one"
_RANDOM = ("random_", "rng_", "threefry2x32")
_CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")
_UNSIGNED = (torch.uint16, torch.uint32)  # in which PyTorch does little


def judge_equation(
    eqn: Any, inputs: list[Any], results: list[Any], spelling: Spelling | None = None
) -> Outcome:
    """Do an equation in PyTorch, and compare the results.

    Args:
        eqn: of a jaxpr.
        inputs: its values in JAX.
        results: its results in JAX.
        spelling: gets what it is in PyTorch.
    """
    name = eqn.primitive.name
    if name.startswith(_RANDOM) or any(map(_is_key, [*inputs, *results])):
        return Outcome(PortStatus.RANDOM, GENERATOR)
    if name in _CALLBACKS:
        note = "PyTorch code is Python that runs: call the function itself"
        return Outcome(PortStatus.ANOTHER_WAY, note)
    index_note = _index_note(name, eqn.params, inputs)
    function = operation(name)
    if function is None:
        return Outcome(PortStatus.UNKNOWN, f"the operation {name}").with_notes(index_note)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensors = list(map(_tensor, inputs))
            with _recorded(inputs, tensors, spelling) as recorder:
                torch_results, note = _in_torch(name, function, eqn.params, tensors, results)
    except Exception as error:
        return Outcome(PortStatus.FAILED, f"{name}: {error_text(error)}")
    outcome = _compare(name, tensors, torch_results, defined(name, results))
    if spelling is not None and recorder is not None and outcome.status == PortStatus.VERIFIED:
        spelling.add(recorder, torch_results, results)
    return outcome.with_notes(note, index_note)


@contextmanager
def _recorded(
    inputs: list[Any], tensors: list[Any], spelling: Spelling | None
) -> Iterator[Recorder | None]:
    """A block in which PyTorch's calls are written down."""
    if spelling is None:
        yield None
        return
    names = [  # the jaxpr itself holds plain numbers
        spelling.name_of(value)
        if np.ndim(value) or isinstance(value, jax.Array)
        else constant(value)
        for value in inputs
    ]
    with Recorder(spelling, tensors, names) as recorder:
        yield recorder


def _index_note(name: str, params: Any, inputs: list[Any]) -> str:
    """How PyTorch's ``x[i]`` treats the indices of a gather or scatter differently, if it does.

    Args:
        name: of the operation.
        params: its parameters.
        inputs: its values in JAX.
    """
    if name != "gather" and not name.startswith("scatter"):
        return ""
    numbers, shape = params["dimension_numbers"], np.shape(inputs[0])
    if name == "gather":
        axes, sizes = numbers.start_index_map, params["slice_sizes"]
    else:
        axes = numbers.scatter_dims_to_operand_dims
        dropped = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
        window = iter(np.shape(inputs[2])[axis] for axis in numbers.update_window_dims)
        sizes = [1 if axis in dropped else next(window) for axis in range(len(shape))]
    if not axes:
        return ""
    starts = np.asarray(inputs[1]).astype(np.int64).reshape(-1, len(axes))
    ends = np.array([shape[axis] - sizes[axis] for axis in axes])
    if ((starts < 0) | (starts > ends)).any():
        return OUT_OF_RANGE
    repeated = len(np.unique(starts, axis=0)) < len(starts) and name not in ("gather", "scatter")
    return REPEATED if repeated and not numbers.operand_batching_dims else ""


def _in_torch(
    name: str, function: Operation, params: Any, tensors: list[torch.Tensor], results: list[Any]
) -> tuple[list[Any], str]:
    """PyTorch's results, and a note where it has the operation only for signed integers."""
    try:
        return _as_list(function(params, *tensors)), ""
    except NotImplementedError:
        unsigned = {x.dtype for x in tensors if x.dtype in _UNSIGNED}
        if not unsigned:
            raise
    wide = _as_list(function(params, *(x.long() if x.dtype in unsigned else x for x in tensors)))
    narrow = [x.to(_tensor(result).dtype) for x, result in zip(wide, results, strict=True)]
    return narrow, f"{SIGNED} {name} of {str(unsigned.pop())[6:]}"


def _compare(
    name: str, inputs: list[Any], torch_results: list[Any], jax_results: Sequence[Any]
) -> Outcome:
    outcome = compare_results(torch_results, jax_results, size_of_terms(name, inputs))
    if outcome.status == PortStatus.VERIFIED:
        return outcome
    turned = aligned(name, torch_results, jax_results)
    if (
        turned is None
        or (again := compare_results(turned, jax_results)).status != PortStatus.VERIFIED
    ):
        return outcome
    return again.with_notes("except for the signs of the vectors, which are arbitrary")


def _as_list(results: Any) -> list[Any]:
    return list(results) if isinstance(results, list | tuple) else [results]


def _tensor(value: Any) -> torch.Tensor:
    tensor: torch.Tensor = from_numpy(np.asarray(value))
    return tensor


def _is_key(value: Any) -> bool:
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
