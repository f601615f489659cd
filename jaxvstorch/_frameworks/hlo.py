"""XLA's optimised HLO as ``compiled.as_text()`` writes it: its instructions, one after another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

# These move no numbers, or only say which program runs next.
NO_KERNEL = {
    "parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while", "conditional",
    "call", "after-all", "partition-id", "replica-id", "async-done", "async-update",
}  # fmt: skip

COLLECTIVES = (
    "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute",
    "collective-broadcast", "ragged-all-to-all",
)  # fmt: skip

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
# The type of a result may be a tuple, and layouts have parentheses of their own: T(8,128).
_INSTRUCTION = re.compile(r"^(?:ROOT )?%?([\w.\-]+) = (.*?) ([a-z][\w\-]*)\((.*)$")
_OPERAND = re.compile(r"%([\w.\-]+)")
_ARRAY = re.compile(r"\b(pred|[a-z]+\d+\w*)\[([\d,]*)\]")
_CALLED = re.compile(r"\b(?:calls|to_apply)=%?([\w.\-]+)")


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        computation: the name of the computation that it is part of.
        name: its own; two computations can have instructions of one name.
        type: of its result.
        opcode: what it does; of one that runs in the background also whether it starts or ends.
        rest: the text of its line after the opcode: operands and attributes.
    """

    computation: str
    name: str
    type: str
    opcode: str
    rest: str

    @property
    def kind(self) -> str:
        """What it does, whether in the background or not."""
        return self.opcode.removesuffix("-start")

    @property
    def called(self) -> list[str]:
        """The computations that it has inside, without those of loops and conditions."""
        return _CALLED.findall(self.rest)

    def operands(self) -> list[str]:
        """The names between the parentheses."""
        depth = 1
        for end, letter in enumerate(self.rest):
            depth += (letter == "(") - (letter == ")")
            if not depth:
                return _OPERAND.findall(self.rest[:end])
        return []


def instructions(text: str) -> Iterator[Instruction]:
    """Every instruction of a module, in the order of its text."""
    computation = ""
    for line in map(str.strip, text.splitlines()):
        if match := _COMPUTATION.match(line):
            computation = match[1]
        elif match := _INSTRUCTION.match(line):
            yield Instruction(computation, *match.groups())


def each_once(text: str) -> list[Instruction]:
    """The instructions of a module, without what the start of a collective calls: itself again."""
    every = list(instructions(text))
    again = {name for one in every if one.kind in COLLECTIVES for name in one.called}
    return [one for one in every if one.computation not in again]


def arrays(type: str) -> list[tuple[str, str]]:
    """The arrays of a type as HLO writes it: the dtype of each, and its sizes, parted by commas."""
    return _ARRAY.findall(type)


def size(type: str) -> int:
    """The bytes of a type as HLO writes it, such as ``f32[8,128]{1,0}``, or of a tuple."""
    total = 0
    for dtype, shape in arrays(type):
        count = prod(map(int, filter(None, shape.split(","))))
        bits = 8 if dtype == "pred" else int(re.findall(r"\d+", dtype)[0])
        total += -(-count * bits // 8)
    return total
