"""How the kernels that run the pages talk to the build.

They talk over files, not over TCP ports. A kernel's ports are chosen before it starts, and another
program may take one in between: the kernel then ends, and the page fails.

What a cell prints stays one text. A kernel sends it every fifth of a second, and MyST-NB would put
each piece on a separate line.

Before each cell ``torch.compile`` forgets what it compiled, as ``jaxvstorch.notebook`` explains.

A cell that fails is marked for `extensions.failed_cells`. A kernel that dies fails its page, like
an error in a cell, and not the whole build.
"""

import functools
import itertools
import os
import tempfile
from typing import Any

from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from sphinx.application import Sphinx

_FOLDER = tempfile.TemporaryDirectory(prefix="jaxvstorch-book-")
_NUMBERS = itertools.count()


def setup(app: Sphinx) -> dict[str, bool]:
    """Patch every kernel; MyST-NB has no settings for this."""
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
    NotebookClient.async_execute_cell = _marking_failures(NotebookClient.async_execute_cell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _marking_failures(execute_cell: Any) -> Any:
    @functools.wraps(execute_cell)
    async def execute(self: Any, cell: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return await execute_cell(self, cell, *args, **kwargs)
        except DeadKernelError as error:  # MyST-NB does not expect it
            cell.metadata["failed"] = True
            raise CellExecutionError("", "DeadKernelError", str(error)) from error
        except Exception:
            cell.metadata["failed"] = True
            raise

    return execute
