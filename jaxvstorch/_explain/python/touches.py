"""How a function touches the world outside."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jaxvstorch._explain.operations import Place


@dataclass(frozen=True)
class Touch:
    """One touch of the world outside.

    Attributes:
        kind: ``"read"``, ``"written"``, ``"changed"``, ``"changed copy"``, ``"changed in place"``,
            ``"leaked"``, ``"output"``, ``"log"``, ``"input"``, ``"clock"``, ``"random"``,
            ``"misread"``, ``"seed"``, ``"warning"``, ``"token"``, ``"environment"``, ``"getenv"``
            or ``"file"``; ``findings`` says what each means.
        name: of the variable or function.
        place: the line.
        value: what was read or changed; ``None`` for the other kinds.
    """

    kind: str
    name: str
    place: Place
    value: Any = field(default=None, compare=False)


def once(touches: Iterable[Touch]) -> Iterator[Touch]:
    """Each touch, but only the first where several lines of a file read the same value."""
    told = set()
    for touch in touches:
        key = (touch.name, touch.place[0], id(touch.value))
        if touch.kind != "read" or key not in told:
            yield touch
        told.add(key)
