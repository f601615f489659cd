"""What was observed while a function was traced or run: operations, visits, and their lines."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

Location = tuple[str, int]  # file and line


@dataclass(frozen=True)
class Operation:
    """One operation of a program, or several that are alike.

    Attributes:
        name: the framework's, such as ``"sin"``.
        where: the program's letter, and the part of the program, as in ``"A: scan body"``.
        stack: the shown lines that it comes from, the outermost first; may be empty.
        number: of operations with this name from these lines.
    """

    name: str
    where: str
    stack: tuple[Location, ...]
    number: int = 1


def count(operations: Iterable[Operation]) -> dict[str, int]:
    """The number of operations by ``where``."""
    numbers: Counter[str] = Counter()
    for operation in operations:
        numbers[operation.where] += operation.number
    return dict(numbers)


def letter(number: int) -> str:
    """The name of a program: A to Z, then AA and so on."""
    name = ""
    while True:
        number, rest = divmod(number, 26)
        name = chr(ord("A") + rest) + name
        if number == 0:
            return name
        number -= 1


@dataclass
class Observations:
    """What was observed in the shown files while a function was traced or run.

    Attributes:
        visits: by location, the most times that a line was traced in one run of its function.
        runs: by file and first line, how often a function was entered.
        operations: the operations of all programs.
        python: lines that Python runs on every call.
        failed: the line where it raised an error, if known.
        has_failed: whether it raised one.
    """

    visits: dict[Location, int] = field(default_factory=dict)
    runs: Counter[Location] = field(default_factory=Counter)
    operations: list[Operation] = field(default_factory=list)
    python: set[Location] = field(default_factory=set)
    failed: Location | None = None
    has_failed: bool = False

    def files(self) -> dict[str, set[int]]:
        """By file, the lines where anything happened."""
        lines_by_file: dict[str, set[int]] = {}
        locations = [*self.visits, *self.python, *([self.failed] if self.failed else [])]
        for operation in self.operations:
            locations += operation.stack
        for file, line in locations:
            lines_by_file.setdefault(file, set()).add(line)
        return lines_by_file
