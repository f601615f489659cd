"""How the kernels that run the pages start and end.

They talk over files and not over TCP ports. A kernel's ports are chosen before it starts, and
another program may take one in between: the kernel then ends, and the page with it.

They do not look for garbage and print a cell's output at once: ``kernel_start.py`` says why.

They are ended at once. What they would do by themselves, closing both frameworks, takes one to
three seconds, and nothing of it is needed.
"""

import functools
import itertools
import os
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from sphinx.application import Sphinx

START = Path(__file__).with_name("kernel_start.py")
_FOLDER = tempfile.TemporaryDirectory(prefix="jaxvstorch-book-")
_NUMBERS = itertools.count()


def setup(app: Sphinx) -> dict[str, bool]:
    """Make this the way of every kernel; MyST-NB hands on no settings for it."""
    original = KernelManager.__init__

    @functools.wraps(original)
    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        # One process per job, and several pages in each.
        address = f"{_FOLDER.name}/{os.getpid()}-{next(_NUMBERS)}"
        original(self, *args, **{"transport": "ipc", "ip": address, **kwargs})

    KernelManager.__init__ = initialise
    # Of the reader's own start-up file a page must not know anything, either.
    os.environ["PYTHONSTARTUP"] = str(START)
    NotebookClient.shutdown_kernel.default_value = "immediate"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
