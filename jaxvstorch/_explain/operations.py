"""Operations of compiled programs, and the lines that they come from."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

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
