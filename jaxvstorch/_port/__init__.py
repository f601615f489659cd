"""Runs a program as it is, and does each of its calls again in the other framework.

``replay`` watches PyTorch's calls, ``judging`` does each again in JAX by the map of names and
compares, ``translation`` writes the JAX with the call's own arguments, and ``report`` keeps the
outcomes by source line. ``isolation`` keeps all of it out of the program's sight. ``program`` runs
a file under a replay, ``reading`` reads one without running it, and ``draft`` writes the port.
"""

from importlib.util import find_spec

LIMIT = 8  # calls of one function on one line that are done again
STYLES = ("nnx", "equinox", "functions")  # of drafts


def missing_for(style: str) -> str:
    """What a style of drafts needs that is not installed, and how to get it; or nothing."""
    if style != "equinox" or find_spec(style) is not None:
        return ""
    return f"it needs {style}, which is not installed: pip install {style}"
