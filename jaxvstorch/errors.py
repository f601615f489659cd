"""The errors this package raises, and a way to show an error that is meant to come."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingFrameworkError(ModuleNotFoundError):
    """JAX or PyTorch is needed and not installed."""


@contextmanager
def expect_error(error: type[BaseException], lines: int = 12) -> Iterator[None]:
    """Run a block that must raise ``error``, and print what it said.

    The book uses it wherever a page promises an error: if the error stops coming, the page fails.

    Args:
        error: the class of the error that must come; subclasses count.
        lines: how many lines of its message to print.

    Raises:
        AssertionError: the block ended without raising ``error``.
    """
    try:
        yield
    except error as caught:
        message = str(caught).strip().splitlines()
        print(f"{type(caught).__name__}: " + "\n".join(message[:lines]))
        if len(message) > lines:
            print(f"… ({len(message) - lines} more lines)")
    else:
        raise AssertionError(f"{error.__name__} was expected here, and nothing was raised")
