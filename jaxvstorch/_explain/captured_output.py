"""Keeps what a function prints, in place of ``sys.stdout``."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


class _Kept(io.BytesIO):
    def close(self) -> None:
        """A function that closes ``sys.stdout`` must not take what it printed with it."""


@contextmanager
def kept_output() -> Iterator[list[str]]:
    """Yields a list, which holds all that was printed in the block at its end.

    The stream is of the class that ``sys.stdout`` mostly has: it takes bytes too, and Dynamo names
    its methods as it would name those of the reader's own stream. What cannot be written to a
    file, such as half of a pair of surrogates, is kept as an escape.
    """
    kept = _Kept()
    stream = io.TextIOWrapper(kept, "utf-8", "backslashreplace", newline="", write_through=True)
    found: list[str] = []
    try:
        with redirect_stdout(stream):
            yield found
    finally:
        found.append(kept.getvalue().decode("utf-8", "backslashreplace"))
