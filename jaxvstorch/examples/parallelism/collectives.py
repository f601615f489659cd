"""Which collectives a function has on many devices, and how many bytes each gives to a device."""

import re
from collections.abc import Callable
from math import prod
from typing import Any

_NAMES = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"
# On some devices a collective is two instructions: the result is that of the second, its "done".
_INSTRUCTION = re.compile(rf"= (.*) ({_NAMES})(?:-done)?\(")
_ARRAY = re.compile(r"([a-z]+)(\d*)\w*\[([\d,]*)\]")
_OF_TORCH = {
    "all_reduce": "all-reduce",
    "all_gather_into_tensor": "all-gather",
    "reduce_scatter_tensor": "reduce-scatter",
    "all_to_all_single": "all-to-all",
    "shard_dim_alltoall": "all-to-all",
}


def collectives_in_jax(function: Callable[..., Any], *args: Any) -> list[tuple[str, int]]:
    """What XLA puts into the program of ``function`` for arguments that are sharded like these.

    Returns:
        Name and bytes of the result on one device, in the program's order. A collective in a loop
        counts once, and several that XLA has joined are one.
    """
    import jax

    return in_text(jax.jit(function).lower(*args).compile().as_text() or "")


def in_text(program: str) -> list[tuple[str, int]]:
    """The collectives of a compiled program as XLA writes it, and the bytes of their results."""
    return [(name, _bytes(result)) for result, name in _INSTRUCTION.findall(program)]


def collectives_in_torch(function: Callable[..., Any], *args: Any) -> list[tuple[str, int]]:
    """What a call of ``function`` asks PyTorch's process groups for.

    Returns:
        Name and bytes of the result on one device, in the call's order.
    """
    from torch.distributed.tensor import DTensor
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[tuple[str, int]] = []

    class Record(TorchDispatchMode):
        def __torch_dispatch__(
            self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if DTensor in types:
                return NotImplemented  # DTensor comes first: it is what asks for collectives
            result = operation(*args, **(kwargs or {}))
            if name := _OF_TORCH.get(operation.overloadpacket.__name__):
                found.append((name, result.nbytes))
            return result

    with Record():
        function(*args)
    return found


def _bytes(arrays: str) -> int:
    """Of arrays as XLA writes them, such as ``f32[8,16]{1,0}``; a ``pred`` takes a byte."""
    return sum(
        prod(map(int, filter(None, shape.split(",")))) * int(bits or 8) // 8
        for _, bits, shape in _ARRAY.findall(arrays)
    )
