"""Lets the kernels of a parallel build talk over files and not over TCP ports.

A kernel's ports are chosen before it starts, and another program may take one in between: the
kernel then ends, and the page with it.
"""

import functools
import itertools
import os
import tempfile
from typing import Any

from jupyter_client.manager import KernelManager
from sphinx.application import Sphinx

_FOLDER = tempfile.TemporaryDirectory(prefix="jaxvstorch-book-")
_NUMBERS = itertools.count()


def setup(app: Sphinx) -> dict[str, bool]:
    """Make this the way of every kernel manager; it takes no settings from Sphinx."""
    original = KernelManager.__init__

    @functools.wraps(original)
    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        # One process per job, and several pages in each.
        address = f"{_FOLDER.name}/{os.getpid()}-{next(_NUMBERS)}"
        original(self, *args, **{"transport": "ipc", "ip": address, **kwargs})

    KernelManager.__init__ = initialise
    return {"parallel_read_safe": True, "parallel_write_safe": True}
