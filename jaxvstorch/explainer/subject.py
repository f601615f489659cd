"""What is explained: a function, and the arguments that it is called with."""

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any


@dataclass(frozen=True)
class Subject:
    """One call to be explained.

    Attributes:
        function: as it was given: compiled or not.
        args: of the call, by position.
        kwargs: of the call, by name.
        named: all of them by the function's own names for them; empty where it tells none.
        code: of the Python function that does the work; ``None`` where there is none.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    named: dict[str, Any]
    code: CodeType | None

    @property
    def file(self) -> str | None:
        """The file that the function stands in."""
        return self.code.co_filename if self.code else None
