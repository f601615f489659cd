"""One clear error where a framework lacks a private part that ``explain`` needs."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from jaxvstorch import _frameworks
from jaxvstorch._frameworks.private import REFUSED
from jaxvstorch._frameworks.proven import PROVEN


@contextmanager
def on(framework: str) -> Iterator[None]:
    """Raise one clear error if a version lacks a part, or has moved it.

    Raises:
        RuntimeError: the framework lacks a part that is used in this block.
    """
    try:
        yield
    except (AttributeError, ImportError) as error:
        private = importlib.import_module(f"jaxvstorch._frameworks.private.{framework}")
        needed = [place for place, without in private.gone().items() if without == REFUSED]
        version = importlib.import_module(framework).__version__
        what = ", ".join(needed) or error
        raise RuntimeError(
            f"explain uses parts of {_frameworks.TITLES[framework]} that version {version} lacks "
            f"or has moved ({what}); it was tested with {' and '.join(PROVEN[framework])}"
        ) from error
