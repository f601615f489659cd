"""Do two calls differ in shape, dtype or a static value, so that the second compiles again?"""

from collections.abc import Iterator
from typing import Any

Arguments = tuple[Any, ...]


def require_new_shape(args: Arguments, other: Arguments) -> None:
    """Check that a shape, a dtype, or a value that could be static is not the same in both.

    Raises:
        ValueError: all are.
    """
    if list(_signature(args)) == list(_signature(other)):
        raise ValueError(
            "args and other have the same shapes and dtypes, so the second call would compile "
            "nothing: give an array of another shape in other"
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
