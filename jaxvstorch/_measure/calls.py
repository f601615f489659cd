"""What can be timed: a function, arguments for it in tuples, and a result that is finished."""

from collections.abc import AsyncGenerator, Awaitable, Coroutine, Generator, Sequence
from concurrent.futures import Future
from typing import Any


def require_tuples(function: Any, calls: Sequence[Any]) -> None:
    """Check that ``function`` can be called and that each of ``calls`` is a tuple of arguments.

    Raises:
        TypeError: one of them is something else.
    """
    if not callable(function):
        raise TypeError(f"function must be callable, not {type(function).__name__}")
    for call in calls:
        if not isinstance(call, tuple):
            raise TypeError(
                f"arguments must be a tuple, not {type(call).__name__}; "
                "for a single argument write (x,)"
            )


def require_finished(what: str, result: Any) -> None:
    """Check that a call did its work, and did not put it off.

    Args:
        what: the function's name in the message.
        result: what it returned.

    Raises:
        TypeError: it is a generator, a coroutine, a future, or an iterator such as ``map``.
    """
    kinds = (Generator, AsyncGenerator, Awaitable, Future, map, filter)
    if not isinstance(result, kinds):
        return
    if isinstance(result, Coroutine):
        result.close()  # otherwise Python warns that it was never awaited
        cure = "lambda: asyncio.run(...)"
    elif isinstance(result, Future):
        cure = "lambda: pool.submit(...).result()"
    else:
        cure = "lambda: list(...)"
    raise TypeError(
        f"{what} returned a {type(result).__name__}, which has not done its work yet: pass a "
        f"function that does all of it and returns arrays, such as `{cure}`"
    )
