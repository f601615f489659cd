"""Where outputs of pages are kept, for builds that run only pages whose cells changed.

Such a build has ``nb_execution_mode`` set to ``cache``. MyST-NB then finds a page's outputs by its
cells. What these call can change too: outputs are kept apart for each state of the package and of
how kernels start, for each set of versions, and for each set of the environment variables that
frameworks read.
"""

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

from jupyter_cache import get_cache
from sphinx.application import Sphinx

import jaxvstorch
from extensions import kernels

# How the names of environment variables begin that change what the frameworks do.
SETTINGS = ("JAX_", "OMP_", "TORCH", "XLA_")


def setup(app: Sphinx) -> dict[str, bool]:
    """Set the folder after MyST-NB has read its settings.

    As a setting it would have Sphinx read every page anew whenever it changed.
    """
    app.connect("builder-inited", _set_folder, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def state(package: Path) -> str:
    """A name for what the cells call: the package's files, versions and settings."""
    versions = [sys.version, *map(version, ("jax", "jaxlib", "numpy", "torch"))]
    settings = sorted(item for item in os.environ.items() if item[0].startswith(SETTINGS))
    found = repr((versions, settings, contents(package), kernels.START.read_text("utf-8")))
    return hashlib.sha256(found.encode()).hexdigest()[:16]


def contents(folder: Path) -> str:
    """A name for the Python files below a folder, with what they are called."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        found.update(f"\n{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def _set_folder(app: Sphinx) -> None:
    package = Path(jaxvstorch.__file__).parent
    folder = Path(app.doctreedir) / "kept-outputs" / state(package)
    app.env.mystnb_config = app.env.mystnb_config.copy(execution_cache_path=str(folder))
    if app.env.mystnb_config.execution_mode == "cache":
        # Made by the pages, which are read side by side, its tables would now and then be made
        # twice, which ends the build: https://github.com/sphinx-doc/sphinx/issues/12481
        get_cache(folder).db.dispose()
