"""What is explained: a function, and the arguments that it is called with."""

import inspect
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


def by_name(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the function's own names for them; empty where it tells none.

    Raises:
        TypeError: they do not fit.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return {}  # of something built in; calling it will tell
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        raise TypeError(
            f"{name}{inspect.Signature(bare)} does not take these arguments: {error}"
        ) from None
    owner = getattr(function, "__self__", None if inspect.isfunction(function) else function)
    return {**({} if owner is None else {"self": owner}), **bound.arguments}
