"""``%load_ext jaxvstorch.notebook``: each cell begins without what ``torch.compile`` did before.

``torch.compile`` keeps what it compiled with the function. Without this, what one cell calls a
first call would be the second call of another cell. The book's pages and notebooks load it.
"""

import sys
from typing import Any

from jaxvstorch._frameworks.private.torch import DYNAMO


def forget(*_: Any) -> None:
    """Reset PyTorch's compiler, where it has been used at all."""
    if DYNAMO in sys.modules:
        sys.modules["torch"].compiler.reset()


def load_ipython_extension(shell: Any) -> None:
    """Begin: IPython calls this for ``%load_ext``."""
    shell.events.register("pre_run_cell", forget)


def unload_ipython_extension(shell: Any) -> None:
    """End: IPython calls this for ``%unload_ext``."""
    shell.events.unregister("pre_run_cell", forget)
