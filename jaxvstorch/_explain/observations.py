"""What was observed while a function was traced or run: operations, visits, and their lines."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

Place = tuple[str, int]  # file and line


@dataclass(frozen=True)
class Operation:
    """One operation of a program.

    Attributes:
        name: the framework's, such as ``"sin"``.
        where: the program's letter, and the part of the program, as in ``"A: scan body"``.
        stack: the lines of own code that it comes from, the outermost first; may be empty.
    """

    name: str
    where: str
    stack: tuple[Place, ...]


def count(operations: Iterable[Operation]) -> dict[str, int]:
    """The number of operations by ``where``."""
    return dict(Counter(operation.where for operation in operations))


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
class Seen:
    """What was seen of own code while a function was traced or run.

    Attributes:
        visits: by place, the most times that a line was traced in one run of its function.
        runs: by file and first line, how often a function was entered.
        operations: of all programs.
        python: lines that Python runs on every call.
        failed: the line where it ended with an error, if that is known.
        has_failed: whether it ended with one.
    """

    visits: dict[Place, int] = field(default_factory=dict)
    runs: Counter[Place] = field(default_factory=Counter)
    operations: list[Operation] = field(default_factory=list)
    python: set[Place] = field(default_factory=set)
    failed: Place | None = None
    has_failed: bool = False

    def files(self) -> dict[str, set[int]]:
        """By file, the lines where anything happened."""
        found: dict[str, set[int]] = {}
        places = [*self.visits, *self.python, *([self.failed] if self.failed else [])]
        for operation in self.operations:
            places += operation.stack
        for file, line in places:
            found.setdefault(file, set()).add(line)
        return found
