"""The call that compiles, and the one that meets a new shape, each in a fresh process."""

from collections.abc import Callable, Sequence
from typing import Any

from jaxvstorch._measure.calls import require_tuples
from jaxvstorch._measure.fresh import fresh_calls
from jaxvstorch._measure.new_shapes import require_new_shape

Arguments = tuple[Any, ...]


def first_call(
    function: Callable[..., Any],
    *args: Any,
    static_argnames: Sequence[str] = (),
    framework: str | None = None,
) -> float:
    """Time the first call of a function that is compiled in a fresh process, in seconds.

    See ``fresh_calls`` for what is included, and for what each argument means.
    """
    options: dict[str, Any] = {"static_argnames": static_argnames, "framework": framework}
    return fresh_calls(function, args, **options)[0]


def new_shape(
    function: Callable[..., Any],
    args: Arguments,
    other: Arguments,
    *,
    static_argnames: Sequence[str] = (),
    framework: str | None = None,
) -> float:
    """Time the call that meets a new shape, in seconds.

    In a fresh process the function is compiled and called with ``args``, and then timed on its
    first call with ``other``. See ``fresh_calls`` for what is included, and what else is raised.

    Raises:
        ValueError: ``other`` has the shapes of ``args``, so nothing is compiled again.
    """
    require_tuples(str if isinstance(function, str) else function, [args, other])
    require_new_shape(args, other)
    options: dict[str, Any] = {"static_argnames": static_argnames, "framework": framework}
    return fresh_calls(function, args, other, **options)[1]
