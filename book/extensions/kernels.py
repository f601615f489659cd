"""How the kernels that run the pages talk to the build.

They talk over files and not over TCP ports. A kernel's ports are chosen before it starts, and
another program may take one in between: the kernel then ends, and the page with it.

What a cell prints stays one text. A kernel sends it every fifth of a second, and MyST-NB would put
each piece on a line of its own.

Each cell begins without what ``torch.compile`` did before, as ``jaxvstorch.notebook`` says.
"""

import functools
import itertools
import os
import tempfile
from typing import Any

from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from sphinx.application import Sphinx

_FOLDER = tempfile.TemporaryDirectory(prefix="jaxvstorch-book-")
_NUMBERS = itertools.count()


def setup(app: Sphinx) -> dict[str, bool]:
    """Set this for every kernel; MyST-NB hands on no settings for it."""
    original = KernelManager.__init__

    @functools.wraps(original)
    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        # One process per job, and several pages in each.
        address = f"{_FOLDER.name}/{os.getpid()}-{next(_NUMBERS)}"
        original(self, *args, **{"transport": "ipc", "ip": address, **kwargs})

    KernelManager.__init__ = initialise
    NotebookClient.__init__ = functools.partialmethod(
        NotebookClient.__init__,
        coalesce_streams=True,
        extra_arguments=["--ext=jaxvstorch.notebook"],
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
