"""A page that is edited alone is read by Sphinx's own process, whatever ``-j`` says.

To give it to a process of its own, and to bring back what that found, takes half a second
(2 cores, 2026-11-23).
"""

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def setup(app: Sphinx) -> dict[str, bool]:
    """Ask as soon as it is known which pages have changed."""
    app.connect("env-before-read-docs", _read_alone)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read_alone(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    if len(names) == 1:
        app.parallel = 1
