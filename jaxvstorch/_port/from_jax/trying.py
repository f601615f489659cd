"""One operation of a jaxpr, done in PyTorch on the values that JAX got, and compared."""

import warnings
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._frameworks.torch import from_numpy
from jaxvstorch._port.agreeing import Judged, agreed
from jaxvstorch._port.from_jax.decomposing import aligned, defined
from jaxvstorch._port.from_jax.elementwise import Operation
from jaxvstorch._port.from_jax.parting import parts
from jaxvstorch._port.from_jax.primitives import operation
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.report import PortStatus
from jaxvstorch._port.summing import size_of_terms

GENERATOR = "PyTorch draws from a generator: torch.manual_seed, or generator=…"
SIGNED = "in int64: PyTorch has no"
_RANDOM = ("random_", "rng_", "threefry2x32")
_CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")
_UNSIGNED = (torch.uint16, torch.uint32)  # in which PyTorch does little


def tried(eqn: Any, inputs: list[Any], results: list[Any]) -> Judged:
    """What became of an equation in PyTorch.

    Args:
        eqn: of a jaxpr.
        inputs: its values in JAX.
        results: what it gave there.
    """
    name = eqn.primitive.name
    if name.startswith(_RANDOM) or any(map(_is_key, [*inputs, *results])):
        return Judged(PortStatus.RANDOM, GENERATOR)
    if name in _CALLBACKS:
        return Judged(PortStatus.OTHERWISE, "PyTorch runs as Python does: call the function itself")
    apart = parts(name, eqn.params, inputs)
    function = operation(name)
    if function is None:
        return Judged(PortStatus.UNKNOWN, f"the operation {name}").noting(apart)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = list(map(_tensor, inputs))
            ours, note = _done(name, function, eqn.params, given, results)
    except Exception as error:
        return Judged(PortStatus.FAILED, f"{name}: {error_text(error)}")
    return _compared(name, given, ours, defined(name, results)).noting(note, apart)


def _done(
    name: str, function: Operation, params: Any, given: list[torch.Tensor], results: list[Any]
) -> tuple[list[Any], str]:
    """What PyTorch gives, and a note where it has the operation in signed numbers alone."""
    try:
        return _several(function(params, *given)), ""
    except NotImplementedError:
        unsigned = {x.dtype for x in given if x.dtype in _UNSIGNED}
        if not unsigned:
            raise
    found = _several(function(params, *(x.long() if x.dtype in unsigned else x for x in given)))
    narrow = [x.to(_tensor(result).dtype) for x, result in zip(found, results, strict=True)]
    return narrow, f"{SIGNED} {name} of {str(unsigned.pop())[6:]}"


def _compared(name: str, given: list[Any], ours: list[Any], theirs: Sequence[Any]) -> Judged:
    judged = agreed(ours, theirs, size_of_terms(name, given))
    turned = None if judged.status == PortStatus.VERIFIED else aligned(name, ours, theirs)
    if turned is None or (again := agreed(turned, theirs)).status != PortStatus.VERIFIED:
        return judged
    return again.noting("but for the signs of the vectors, which are free")


def _several(found: Any) -> list[Any]:
    return list(found) if isinstance(found, list | tuple) else [found]


def _tensor(value: Any) -> torch.Tensor:
    found: torch.Tensor = from_numpy(np.asarray(value))
    return found


def _is_key(value: Any) -> bool:
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
