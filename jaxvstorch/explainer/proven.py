"""The versions of the frameworks that ``explain``, which uses private parts, was tested with."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from jaxvstorch import frameworks
from jaxvstorch.frameworks.private import REFUSED

# On PyTorch 2.10 an earlier explain was tested; the parts that it uses now have not run there.
PROVEN = {"jax": ("0.10.2", "0.12.0.1"), "torch": ("2.13.0",)}


@contextmanager
def on(framework: str) -> Iterator[None]:
    """Raise one clear error if a version lacks a part, or has moved it.

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
            f"has moved ({what}); it was tested with {' and '.join(PROVEN[framework])}"
        ) from error
