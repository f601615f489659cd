"""Captures what a function prints to ``sys.stdout``."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


class _Kept(io.BytesIO):
    def close(self) -> None:
        """Do nothing: the output must survive a function that closes ``sys.stdout``."""


@contextmanager
def captured_output() -> Iterator[list[str]]:
    """Yield a list that, after the block, holds everything printed in it.

    The stream has the class that ``sys.stdout`` usually has: it takes bytes too, and Dynamo names
    its methods as it would name those of the reader's stream. Characters that cannot be encoded,
    such as half a pair of surrogates, are kept as escapes.
    """
    kept = _Kept()
    stream = io.TextIOWrapper(kept, "utf-8", "backslashreplace", newline="", write_through=True)
    output: list[str] = []
    try:
        with redirect_stdout(stream):
            yield output
    finally:
        output.append(kept.getvalue().decode("utf-8", "backslashreplace"))
