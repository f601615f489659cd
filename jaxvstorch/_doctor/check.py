"""One check of the doctor, and its result."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """What was found in one place.

    Attributes:
        section: the group that it belongs to, such as ``"memory"``.
        name: what was looked at.
        value: what was found.
        problem: what is wrong with it; ``None`` where nothing is.
        cure: how to fix the problem, mostly a command.
        note: what else there is to say; nothing is wrong with it.
    """

    section: str
    name: str
    value: str
    problem: str | None = None
    cure: str | None = None
    note: str | None = None
