"""Documents every public class and function as ``jaxvstorch.NAME``, whatever module defines it."""

from types import FunctionType

from sphinx.application import Sphinx

import jaxvstorch


def setup(app: Sphinx) -> dict[str, bool]:
    """Let annotations and links of the API page name what a reader imports."""
    for name in jaxvstorch.__all__:
        public = getattr(jaxvstorch, name)
        if isinstance(public, type | FunctionType):
            public.__module__ = jaxvstorch.__name__
    return {"parallel_read_safe": True}
