"""Keep warnings of ours from a program, and the program's own warnings as they are."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def silent() -> Iterator[None]:
    """Show no warning inside the block.

    A change of the filters makes Python forget which warnings it has shown, and the program would
    get them again: so they stay, unless they make errors of warnings.
    """
    if any(action == "error" for action, *_ in warnings.filters):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
        return
    shown = warnings.showwarning
    warnings.showwarning = _nothing  # type: ignore[assignment]
    try:
        yield
    finally:
        warnings.showwarning = shown


def _nothing(*_: Any) -> None:
    pass
