"""What was seen of own code while a function was traced or run."""

from collections import Counter
from dataclasses import dataclass, field

from jaxvstorch._explain.operations import Operation, Place


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
