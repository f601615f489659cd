"""Which collectives a function has on many devices, and how many bytes each gives a device."""

from collections.abc import Callable
from typing import Any

from jaxvstorch._frameworks import hlo

# PyTorch's operations begin so, without underscores: allreduce_ and all_reduce_coalesced are one.
_OF_TORCH = {
    "allreduce": "all-reduce",
    "allgather": "all-gather",
    "reducescatter": "reduce-scatter",
    "alltoall": "all-to-all",
    "sharddimalltoall": "all-to-all",
    "broadcast": "broadcast",
    "scatter": "scatter",
    "gather": "gather",
    "reduce": "reduce",
}
# Of the calls of torch.distributed, of the functions that DTensor and compilers use, of DTensor.
_NAMESPACES = ("c10d", "_c10d_functional", "_c10d_functional_autograd", "_dtensor")


def collectives_in_jax(function: Callable[..., Any], *args: Any) -> list[tuple[str, int]]:
    """What XLA puts into the program of ``function`` for arguments that are sharded like these.

    Returns:
        Name and bytes of the result on one device, in the order of the program's text: what is in
        a loop or a branch comes first. A collective in a loop counts once, one in a branch counts
        whether the branch is taken or not, and several that XLA has joined are one.
    """
    import jax

    return in_text(jax.jit(function).lower(*args).compile().as_text() or "")


def in_text(program: str) -> list[tuple[str, int]]:
    """The collectives of a compiled program as XLA writes it, and the bytes of their results.

    On some devices a collective is two instructions: the result is that of the second, its "done".
    """
    return [
        (name, hlo.size(one.type))
        for one in hlo.each_once(program)
        if (name := one.opcode.removesuffix("-done")) in hlo.COLLECTIVES
    ]


def collectives_in_torch(function: Callable[..., Any], *args: Any) -> list[tuple[str, int]]:
    """What a call of ``function`` asks PyTorch's process groups for.

    Returns:
        Name and bytes of the result on one device, in the call's order. What one rank sends to
        another, as by ``torch.distributed.send``, is not among them.
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
            if name := _name(operation):
                found.append((name, _bytes(result, args)))
            return result

    with Record():
        function(*args)
    return found


def _name(operation: Any) -> str | None:
    if operation.namespace not in _NAMESPACES:
        return None
    plain = operation.overloadpacket.__name__.replace("_", "")
    return next((name for start, name in _OF_TORCH.items() if plain.startswith(start)), None)


def _bytes(result: Any, args: Any) -> int:
    """Of all tensors in a result; an operation that gives none writes into its first argument."""
    from torch import Tensor
    from torch.utils._pytree import tree_leaves

    given = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
    return sum(tensor.nbytes for tensor in given or tree_leaves(args[0]))
