"""Reads XLA's optimised HLO: which kernels run, what was fused into each, and from which lines."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jaxvstorch._explain.observations import Location, Operation
from jaxvstorch._frameworks.hlo import NO_KERNEL, Instruction, instructions

_NO_OPERATION = NO_KERNEL | {"fusion"}

_CALLED = re.compile(r"(?:calls|to_apply|body|condition|branch_computations)=\{?([%\w.\-, ]+)")
_CALLS = re.compile(r"\bcalls=%?([\w.\-]+)")
_SOURCE = re.compile(r'source_file="([^"]*)" source_line=(\d+)')
_FRAME = re.compile(r"stack_frame_id=(\d+)")


@dataclass(frozen=True)
class Fused:
    """One kernel: its name, the operations inside, and the lines they came from."""

    name: str
    operations: tuple[str, ...]
    lines: tuple[Location, ...]


class Module:
    """One compiled module, from ``compiled.as_text()``."""

    def __init__(self, text: str, is_shown: Callable[[str], bool]) -> None:
        """Args: the module's text, and which files' lines to name."""
        self._is_shown = is_shown
        self._computations: dict[str, list[Instruction]] = {}
        self._frames: dict[int, list[Location]] = _stack_frames(text)
        for instruction in instructions(text):
            self._computations.setdefault(instruction.computation, []).append(instruction)

    def operations(self, program: str) -> list[Operation]:
        """Every operation of a program, including those inside fusions."""
        instructions_inside = [
            instruction for inside in self._computations.values() for instruction in inside
        ]
        return [
            Operation(instruction.opcode, program, tuple(self._line(instruction)))
            for instruction in instructions_inside
            if instruction.opcode not in _NO_OPERATION
        ]

    def kernels(self) -> list[Fused]:
        """The kernels: fusions, and operations outside them."""
        inside = self._inside_of_kernels()
        return [
            self._kernel(instruction)
            for name, instructions_in in self._computations.items()
            if name not in inside
            for instruction in instructions_in
            if instruction.opcode not in NO_KERNEL
        ]

    def _inside_of_kernels(self) -> set[str]:
        """The computations that belong to a kernel, and not to the program around the kernels."""
        inside: set[str] = set()
        for instructions_in in self._computations.values():
            for instruction in instructions_in:
                if instruction.opcode not in NO_KERNEL:
                    inside.update(_called(instruction))
        return inside

    def _kernel(self, instruction: Instruction) -> Fused:
        parts = list(self._parts(instruction))
        lines = [location for part in parts for location in self._line(part)]
        operations = [p.opcode for p in parts if p.opcode not in _NO_OPERATION]
        return Fused(instruction.name, tuple(operations), tuple(dict.fromkeys(lines)))

    def _parts(self, instruction: Instruction) -> Iterator[Instruction]:
        called = _CALLS.search(instruction.rest)
        if instruction.opcode != "fusion" or called is None:
            yield instruction
            return
        for part in self._computations.get(called[1], []):
            yield from self._parts(part)

    def _line(self, instruction: Instruction) -> list[Location]:
        """The innermost shown line that it came from, if XLA names one."""
        return [location for location in self._stack(instruction) if self._is_shown(location[0])][
            :1
        ]

    def _stack(self, instruction: Instruction) -> list[Location]:
        if match := _SOURCE.search(instruction.rest):
            return [(match[1], int(match[2]))]
        if match := _FRAME.search(instruction.rest):
            return self._frames.get(int(match[1]), [])
        return []


def _called(instruction: Instruction) -> list[str]:
    names = (name for group in _CALLED.findall(instruction.rest) for name in group.split(","))
    return [name.strip().removeprefix("%") for name in names]


def _stack_frames(text: str) -> dict[int, list[Location]]:
    """The module's table of stack frames: by number, each with the frames around it."""
    files = {
        int(n): name for n, name in re.findall(r'^(\d+) "(.*)"$', _part(text, "FileNames"), re.M)
    }
    locations = {
        int(number): (files.get(int(file), ""), int(line))
        for number, file, line in re.findall(
            r"^(\d+) \{file_name_id=(\d+) .*?\bline=(\d+)", _part(text, "FileLocations"), re.M
        )
    }
    # A frame's parent is written one too high; if that is the frame itself, it has none.
    parents = {
        int(number): (int(location), int(parent) - 1)
        for number, location, parent in re.findall(
            r"^(\d+) \{file_location_id=(\d+) parent_frame_id=(\d+)",
            _part(text, "StackFrames"),
            re.M,
        )
    }
    stacks: dict[int, list[Location]] = {}
    for number in sorted(parents):
        location, parent = parents[number]
        here = [locations[location]] if location in locations else []
        stacks[number] = [*here, *(stacks.get(parent, []) if parent < number else [])]
    return stacks


def _part(text: str, title: str) -> str:
    _, _, rest = text.partition(f"\n{title}\n")
    return rest.partition("\n\n")[0]
