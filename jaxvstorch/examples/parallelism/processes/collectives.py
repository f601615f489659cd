"""What the processes send each other in a step: each collective, and the bytes of its array."""

import re
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jax.stages import Compiled

# In the text of XLA's program: "%name = f32[8,8]{1,0} all-reduce(", or several shapes in brackets.
_IN_HLO = re.compile(r"= (.*?) (all-reduce|all-gather|reduce-scatter)(?:-start)?\(")
_ARRAY = re.compile(r"[a-z]+(\d+)\[([\d,]*)\]")


def collectives_of(compiled: "Compiled") -> list[str]:
    """The collectives of a program that JAX has compiled, with the bytes of what each returns."""
    found = []
    for arrays, kind in _IN_HLO.findall(compiled.as_text() or ""):
        sizes = [
            int(bits) // 8 * prod(int(length) for length in lengths.split(",") if length)
            for bits, lengths in _ARRAY.findall(arrays)
        ]
        found.append(f"{kind} {sum(sizes)} bytes")
    return found


def collectives_in(call: Callable[[], Any]) -> list[str]:
    """The collectives that PyTorch runs in a call, with the bytes of the larger of its tensors."""
    from torch import Tensor
    from torch.distributed.tensor import DTensor
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Listening(TorchDispatchMode):
        def __torch_dispatch__(
            self, operator: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if any(issubclass(kind, DTensor) for kind in types):
                return NotImplemented  # DTensor runs operators on its parts instead
            kind = re.search(r"all_?(reduce|gather)|reduce_scatter", operator.name())
            if kind and "c10d" in operator.namespace:
                sizes = [leaf.nbytes for leaf in tree_leaves(args) if isinstance(leaf, Tensor)]
                found.append(f"{_NAMES[kind[0]]} {max(sizes)} bytes")
            return operator(*args, **(kwargs or {}))

    found: list[str] = []
    with Listening():
        call()
    return found


# One operator has two names in PyTorch, and these are XLA's.
_NAMES = {
    "allreduce": "all-reduce",
    "all_reduce": "all-reduce",
    "allgather": "all-gather",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
}
