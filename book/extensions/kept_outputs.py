"""Chooses the folder of the pages' outputs, so that only pages whose cells have changed run again.

MyST-NB keeps the outputs, and finds a page's by its cells. The code that cells call can change too:
each state of the package, with each version of jax and torch, has its own folder.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path

from jupyter_cache import get_cache
from sphinx.application import Sphinx

import jaxvstorch


def setup(app: Sphinx) -> dict[str, bool]:
    """Choose the folder after MyST-NB has read its settings.

    As a setting of Sphinx's, every change of it would have all pages read again.
    """
    app.connect("builder-inited", _choose_folder, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _choose_folder(app: Sphinx) -> None:
    state = hashlib.sha256("".join(map(version, ("jax", "torch"))).encode())
    for path in sorted(Path(jaxvstorch.__file__).parent.rglob("*.*")):
        if path.suffix in (".py", ".css", ".json"):
            state.update(bytes(path) + path.read_bytes())
    folder = Path(app.doctreedir, "kept-outputs", state.hexdigest()[:16])
    app.env.mystnb_config = app.env.mystnb_config.copy(execution_cache_path=str(folder))
    # If the pages, which are read in parallel, made its tables, two would now and then make one
    # twice, which ends the build: https://github.com/sphinx-doc/sphinx/issues/12481
    get_cache(folder).db.dispose()
