"""Decides which files' lines an explanation shows: the reader's, and not a library's."""

import os
from pathlib import Path

from jaxvstorch._explain.python import statements
from jaxvstorch._frameworks.installed import FRAMEWORKS, import_path, is_installed, is_instrument


class ShownFiles:
    """The files whose lines are shown for one explained function.

    They are the function's own file, and every file that is neither installed nor part of Python.
    For a function from an installed package, the rest of that package is shown too.
    """

    def __init__(self, file: str | None) -> None:
        self._known: dict[str, bool] = {}
        self._file = file
        self._package = None
        if file is not None:
            self._known[file] = True
            self._package = _package_folder(file)

    def has(self, file: str) -> bool:
        """Whether a file's lines are shown."""
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._decide(file)
        return known

    def is_readers(self, file: str) -> bool:
        """Whether a file is neither installed nor part of Python, or the function's own file."""
        return self.has(file) and (file == self._file or not is_installed(file))

    @property
    def is_installed(self) -> bool:
        """Whether the explained function is from an installed package."""
        return self._file is not None and is_installed(self._file)

    def _decide(self, file: str) -> bool:
        if is_instrument(file):
            return False
        if self._package is not None and file.startswith(self._package):
            return True
        if file.startswith("<") and not file.startswith((*statements.PROMPTS, "<stdin")):
            return False
        return not is_installed(file)


def _package_folder(file: str) -> str | None:
    """The folder of the installed package that a file belongs to.

    For a framework's function it is ``None``: only the function's own file is shown.
    """
    folder, parts = import_path(file) or ("", ())
    if len(parts) < 2 or parts[0] in FRAMEWORKS:
        return None
    return os.path.join(folder, parts[0], "")


def short_path(file: str) -> str:
    """A file as a reader knows it, without folders that mean nothing on another machine."""
    path = Path(file)
    if path.parent.name.startswith("ipykernel_") or file.startswith("<ipython-input"):
        return "a notebook's cell"
    if (installed := import_path(file)) is not None:
        return "/".join(installed[1])
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    return str(path.relative_to(_root(path)))


def _root(path: Path) -> Path:
    """The folder around the outermost package that a file belongs to, or the file's own folder."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder
