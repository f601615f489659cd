"""Keeps drawings of results: those of one page take a second to draw, at each edit of the page.

A drawing is kept for what it shows, for each state of what draws it, and for matplotlib's version.
"""

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import jaxvstorch
from extensions.kept_outputs import contents

PACKAGE, EXTENSIONS = (Path(file).parent for file in (jaxvstorch.__file__, __file__))


def kept(folder: Path, draw: Callable[..., str], *arguments: object) -> str:
    """What ``draw`` makes of the arguments, from the folder where it is there already."""
    key = repr((_state(), draw.__module__, draw.__qualname__, arguments))
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.html"
    if not path.exists():
        text = draw(*arguments)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            file.write(text)
        os.replace(file.name, path)  # whole at once: pages are read side by side
    return path.read_text(encoding="utf-8")


@functools.cache
def _state() -> tuple[str, ...]:
    return version("matplotlib"), contents(PACKAGE), contents(EXTENSIONS)
