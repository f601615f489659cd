"""How many kernels and loops XLA's optimised HLO has, and what the devices send each other."""

import re
from dataclasses import dataclass

from jaxvstorch._frameworks import hlo

# The TPU's compiler fuses an all-reduce with the slice that each device keeps of it.
_SCATTERED = "all-reduce-scatter"
# Collectives that a TPU runs in several fusions have it. A channel does not tell them apart: all
# those of `jax.shard_map` share one.
_CHAIN = re.compile(r'\bchain_id="(\d+)"')


@dataclass(frozen=True)
class Collective:
    """All collectives of one kind in a program.

    Attributes:
        kind: XLA's name for it, as in ``all-reduce``.
        count: how many the program has; one inside a loop counts once.
        bytes: how many one device puts into all of them together.
    """

    kind: str
    count: int
    bytes: int


def kernels(text: str) -> int:
    """How many kernels a program has; one inside a loop counts once.

    Fusions, calls of libraries, and other operations that return an array count. An operation that
    returns one number does not: a TPU computes it beside the arrays, and a GPU mostly inside
    another kernel.
    """
    every = list(hlo.instructions(text))
    inside = {name for i in every if i.opcode not in hlo.NO_KERNEL for name in i.called}
    return sum(_is_kernel(i) for i in every if i.computation not in inside)


def loops(text: str) -> int:
    """How many loops a program has."""
    return sum(i.opcode == "while" for i in hlo.instructions(text))


def collectives(text: str) -> tuple[Collective, ...]:
    """The collectives of a program, by kind.

    On a TPU, one that runs beside other operations is split over several fusions, as one chain.
    """
    every = {(i.computation, i.name): i for i in hlo.each_once(text)}
    sizes: dict[str, dict[str, int]] = {}
    for (computation, name), instruction in every.items():
        if instruction.kind not in hlo.COLLECTIVES:
            continue
        chain = _CHAIN.search(instruction.rest)
        chain_id = chain[1] if chain else f"{computation} {name}"
        types = [every[computation, operand].type for operand in instruction.operands()]
        scattered = computation.startswith(_SCATTERED)
        kind = "reduce-scatter" if scattered else instruction.kind
        sizes.setdefault(kind, {}).setdefault(chain_id, sum(map(hlo.size, types)))
    return tuple(Collective(k, len(n), sum(n.values())) for k, n in sorted(sizes.items()))


def _is_kernel(instruction: hlo.Instruction) -> bool:
    if instruction.opcode in hlo.NO_KERNEL or instruction.opcode.endswith("-done"):
        return False
    if instruction.opcode in ("fusion", "custom-call") or instruction.kind in hlo.COLLECTIVES:
        return True
    return any(shape for _, shape in hlo.arrays(instruction.type))
