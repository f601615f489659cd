"""The JAX that people write first for an operation, where the map of names says that it differs."""

import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._diff.ways.way import Arguments, Way
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows

_MODULES = ("torch", "torch.nn.functional", "torch.linalg", "torch.special")


def twins(function: Any, arguments: Arguments) -> Iterator[Way]:
    """The map's first lines for an operation's names."""
    name = function._schema.name.removeprefix("aten::").strip("_").removeprefix("linalg_")
    for module in _MODULES:
        if (row := rows().get(f"{module}.{name}")) is None:
            continue
        row = meaning(row)
        if first := row.option("first"):
            yield Way(row.name, first, partial(_compute, row, first, arguments))


def _compute(row: Row, first: str, arguments: Arguments) -> torch.Tensor:
    def to_jax(value: Any) -> Any:
        value = tuple(value) if isinstance(value, list) else value
        return jnp.asarray(value.numpy(force=True)) if isinstance(value, torch.Tensor) else value

    with jax.enable_x64(True):
        line = eval(row.source(first), {"jax": jax, "jnp": jnp, "lax": jax.lax})
        # ATen calls the first ``self``, and may leave out some; these have their defaults.
        taken = inspect.signature(line).parameters
        operand, *_ = arguments.values()
        given = {next(iter(taken)): operand}
        given |= {name: value for name, value in arguments.items() if name in taken}
        result = line(**{name: to_jax(value) for name, value in given.items()})
        return torch.from_numpy(np.array(result[0] if isinstance(result, tuple) else result))
