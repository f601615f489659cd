"""The versions that the private parts of the frameworks behind ``explain`` were proven on."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from jaxvstorch import frameworks
from jaxvstorch.frameworks.private import REFUSED

# PyTorch 2.10 had the parts that were used before a function was explained by a copy of its code;
# the present ones have not run on it.
PROVEN = {"jax": ("0.10.2", "0.12.0.1"), "torch": ("2.13.0",)}


@contextmanager
def on(framework: str) -> Iterator[None]:
    """Turn what a version lacks, or has moved, into one clear error.

    Raises:
        RuntimeError: the framework lacks a part that is used in this block.
    """
    try:
        yield
    except (AttributeError, ImportError) as error:
        private = importlib.import_module(f"jaxvstorch.frameworks.private.{framework}")
        needed = [place for place, without in private.gone().items() if without == REFUSED]
        version = importlib.import_module(framework).__version__
        what = ", ".join(needed) or error
        raise RuntimeError(
            f"explain uses parts of {frameworks.TITLES[framework]} that version {version} lacks or "
            f"has moved ({what}); it was proven on {' and '.join(PROVEN[framework])}"
        ) from error
