"""XLA's optimised HLO: how many kernels run, and what the devices send each other."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

COLLECTIVES = (
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute",
    "collective-broadcast", "ragged-all-to-all",
)  # fmt: skip
# These move no numbers, or only say what runs next.
_NO_KERNEL = {
    "parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while", "conditional",
    "call", "after-all", "partition-id", "replica-id", "async-done", "async-update",
}  # fmt: skip

# The TPU's compiler fuses an all-reduce with the slice that each device keeps of it.
_SCATTERED = "all-reduce-scatter"

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
# The type of a result may be a tuple, and layouts have parentheses of their own: T(8,128).
_INSTRUCTION = re.compile(r"^(?:ROOT )?%?([\w.\-]+) = (.*?) ([a-z][\w\-]*)\((.*)$")
_OPERAND = re.compile(r"%([\w.\-]+)")
_ARRAY = re.compile(r"\b(pred|[a-z]+\d+\w*)\[([\d,]*)\]")
# Those that a TPU runs in several fusions have it. A channel may be that of others too: all of
# `jax.shard_map` have the same.
_CHAIN = re.compile(r'\bchain_id="(\d+)"')
_CALLED = re.compile(r"\b(?:calls|to_apply)=%?([\w.\-]+)")


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


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        computation: the name of the computation that it is part of.
        type: of its result.
        opcode: what it does; of one that runs in the background also whether it starts or ends.
        rest: the text of its line after the opcode: operands and attributes.
    """

    computation: str
    type: str
    opcode: str
    rest: str

    @property
    def kind(self) -> str:
        """What it does, whether in the background or not."""
        return self.opcode.removesuffix("-start")

    @property
    def called(self) -> list[str]:
        """The computations that it has inside."""
        return _CALLED.findall(self.rest)

    def operands(self) -> list[str]:
        """The names between the parentheses."""
        depth = 1
        for end, letter in enumerate(self.rest):
            depth += (letter == "(") - (letter == ")")
            if not depth:
                return _OPERAND.findall(self.rest[:end])
        return []


def instructions(text: str) -> dict[tuple[str, str], Instruction]:
    """Every instruction of a module, by its computation and its name."""
    return dict(_instructions(text))


def kernels(text: str) -> int:
    """How many kernels a program has; one inside a loop counts once.

    These are fusions, calls of libraries, and operations outside both that give an array. An
    operation that gives one number is left out: a TPU computes it beside the arrays, and a GPU
    mostly inside another kernel.
    """
    every = instructions(text).values()
    inside = {name for i in every if i.opcode not in _NO_KERNEL for name in i.called}
    return sum(_is_kernel(i) for i in every if i.computation not in inside)


def loops(text: str) -> int:
    """How many loops a program has."""
    return sum(i.opcode == "while" for i in instructions(text).values())


def collectives(text: str) -> tuple[Collective, ...]:
    """The collectives of a program, by kind.

    On a TPU, one that runs beside other operations stands in several fusions, as one chain.
    """
    every = instructions(text)
    # What the start of a collective calls is that collective once more.
    again = {name for i in every.values() if i.kind in COLLECTIVES for name in i.called}
    sizes: dict[str, dict[str, int]] = {}
    for (computation, name), found in every.items():
        if found.kind in COLLECTIVES and computation not in again:
            chain = _CHAIN.search(found.rest)
            one = chain[1] if chain else f"{computation} {name}"
            taken = [every[computation, operand].type for operand in found.operands()]
            kind = "reduce-scatter" if computation.startswith(_SCATTERED) else found.kind
            sizes.setdefault(kind, {}).setdefault(one, sum(map(size, taken)))
    return tuple(Collective(k, len(n), sum(n.values())) for k, n in sorted(sizes.items()))


def size(type: str) -> int:
    """The bytes of a type as HLO writes it, such as ``f32[8,128]{1,0}``, or of a tuple."""
    total = 0
    for dtype, shape in _ARRAY.findall(type):
        count = 1
        for length in filter(None, shape.split(",")):
            count *= int(length)
        bits = 8 if dtype == "pred" else int(re.findall(r"\d+", dtype)[0])
        total += -(-count * bits // 8)
    return total


def _is_kernel(found: Instruction) -> bool:
    if found.opcode in _NO_KERNEL or found.opcode.endswith("-done"):
        return False
    if found.opcode in ("fusion", "custom-call") or found.kind in COLLECTIVES:
        return True
    return any(shape for _, shape in _ARRAY.findall(found.type))


def _instructions(text: str) -> Iterator[tuple[tuple[str, str], Instruction]]:
    computation = ""
    for line in map(str.strip, text.splitlines()):
        if found := _COMPUTATION.match(line):
            computation = found[1]
        elif found := _INSTRUCTION.match(line):
            name, type, opcode, rest = found.groups()
            yield (computation, name), Instruction(computation, type, opcode, rest)
