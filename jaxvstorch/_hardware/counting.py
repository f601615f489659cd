"""How many kernels and loops XLA's optimised HLO has, and what the devices send each other."""

import re
from dataclasses import dataclass

from jaxvstorch._frameworks import hlo

# The TPU's compiler fuses an all-reduce with the slice that each device keeps of it.
_SCATTERED = "all-reduce-scatter"
# Those that a TPU runs in several fusions have it. A channel may be that of others too: all of
# `jax.shard_map` have the same.
_CHAIN = re.compile(r'\bchain_id="(\d+)"')


@dataclass(frozen=True)
class Collective:
    """All collectives of one kind in a program.

    Attributes:
        kind: XLA's name for it, as in ``all-reduce``.
        count: how many stand in the program; one inside a loop counts once.
        bytes: what one device puts into all of them together.
    """

    kind: str
    count: int
    bytes: int


def kernels(text: str) -> int:
    """How many kernels a program has; one inside a loop counts once.

    These are fusions, calls of libraries, and operations outside both that give an array. An
    operation that gives one number is left out: a TPU computes it beside the arrays, and a GPU
    mostly inside another kernel.
    """
    every = list(hlo.instructions(text))
    inside = {name for i in every if i.opcode not in hlo.NO_KERNEL for name in i.called}
    return sum(_is_kernel(i) for i in every if i.computation not in inside)


def loops(text: str) -> int:
    """How many loops a program has."""
    return sum(i.opcode == "while" for i in hlo.instructions(text))


def collectives(text: str) -> tuple[Collective, ...]:
    """The collectives of a program, by kind.

    On a TPU, one that runs beside other operations stands in several fusions, as one chain.
    """
    every = {(i.computation, i.name): i for i in hlo.each_once(text)}
    sizes: dict[str, dict[str, int]] = {}
    for found in [one for one in every.values() if one.kind in hlo.COLLECTIVES]:
        chain = _CHAIN.search(found.rest)
        one = chain[1] if chain else f"{found.computation} {found.name}"
        taken = [every[found.computation, operand].type for operand in found.operands()]
        scattered = found.computation.startswith(_SCATTERED)
        kind = "reduce-scatter" if scattered else found.kind
        sizes.setdefault(kind, {}).setdefault(one, sum(map(hlo.size, taken)))
    return tuple(Collective(k, len(n), sum(n.values())) for k, n in sorted(sizes.items()))


def _is_kernel(found: hlo.Instruction) -> bool:
    if found.opcode in hlo.NO_KERNEL or found.opcode.endswith("-done"):
        return False
    if found.opcode in ("fusion", "custom-call") or found.kind in hlo.COLLECTIVES:
        return True
    return any(shape for _, shape in hlo.arrays(found.type))
