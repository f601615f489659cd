"""The call that compiles, and the one that meets a new shape, each in a fresh process."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxvstorch._measure.calls import require_tuples
from jaxvstorch._measure.fresh import fresh_calls

Arguments = tuple[Any, ...]


def first_call(
    function: Callable[..., Any],
    *args: Any,
    static_argnames: Sequence[str] = (),
    framework: str | None = None,
) -> float:
    """Time a function's first call in a fresh process, compiling included, in seconds.

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
    """Time a call with a new shape, in seconds.

    In a fresh process ``new_shape`` compiles the function, calls it with ``args``, and then times
    its first call with ``other``. See ``fresh_calls`` for what is included, and for other errors.

    Raises:
        ValueError: ``other`` has the shapes of ``args``, so nothing is compiled again.
    """
    require_tuples(str if isinstance(function, str) else function, [args, other])
    require_new_shape(args, other)
    options: dict[str, Any] = {"static_argnames": static_argnames, "framework": framework}
    return fresh_calls(function, args, other, **options)[1]


def require_new_shape(args: Arguments, other: Arguments) -> None:
    """Check that a shape, a dtype, or a value that could be static is not the same in both.

    Raises:
        ValueError: all are.
    """
    if list(_signature(args)) == list(_signature(other)):
        raise ValueError(
            "args and other have the same shapes and dtypes, so the second call would compile "
            "nothing: pass an array of another shape in other"
        )


def _signature(value: Any) -> Iterator[Any]:
    """What a compiler can tell two calls apart by: shapes, Python values, and their nesting."""
    rest, seen = [value], set()
    while rest:
        item = rest.pop()
        if isinstance(item, list | tuple | dict):
            yield type(item), tuple(map(str, item)) if isinstance(item, dict) else len(item)
            if id(item) not in seen:  # one may hold itself
                seen.add(id(item))
                rest += item.values() if isinstance(item, dict) else item
        elif hasattr(item, "shape"):
            yield tuple(item.shape), str(getattr(item, "dtype", ""))
        else:
            # The class of anything else may not define equality.
            known = isinstance(item, str | bytes | int | float | complex)
            yield type(item), item if known else id(item)
