"""Calls of PyTorch's own modules: which are replayed, and with what."""

from typing import Any, NamedTuple

import torch
from torch.nn.utils.parametrize import ParametrizationList

from jaxvstorch._port.aliasing import Writes
from jaxvstorch._port.isolation import unseen
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.running.call import Call, flat
from jaxvstorch._port.report_data import Location

HOOKED = "a hook changes its input: change it before the call"


class ModuleCall(NamedTuple):
    """A call of one of the map's modules, while it runs."""

    module: torch.nn.Module
    row: Row
    location: Location
    call: Call
    args: Any
    writes: Writes


def is_of_pytorch(module: torch.nn.Module) -> bool:
    """Whether a module is one of ``torch.nn``, and no part of one."""
    if isinstance(module, ParametrizationList):  # a part of a layer with weight_norm
        return False
    cls = type(module)
    return cls.__module__.startswith("torch.nn.") and not cls.__name__.startswith("_")


def row_of(module: torch.nn.Module) -> Row | None:
    """The map's line of a module of PyTorch's."""
    return rows().get(f"torch.nn.{type(module).__name__}")


def are_same(before: Any, after: Any) -> bool:
    """Whether a module's arguments are equal before and after its hooks, which may wrap them."""
    try:
        with unseen():
            return all(
                torch.equal(a, b) if isinstance(a, torch.Tensor) else a is b
                for a, b in zip(flat(before), flat(after), strict=True)
            )
    except Exception:
        return False
