"""Whose code a file holds: the reader's, which is shown, or a library's, which is not."""

import re
import sys
import sysconfig
from pathlib import Path

from jaxvstorch.explainer.python import statements

# Of these, only the file of the explained function is shown: a framework is library code.
_FRAMEWORKS = ("jax", "jaxlib", "torch", "numpy")

_PACKAGE = f"{Path(__file__).parents[2]}/"
_EXAMPLE = re.compile("examples/.+/")


class OwnCode:
    """Tells own files from library files, for one function.

    Own files are the function's own file, and every file that is neither installed nor part of
    Python. For a function from an installed package, the rest of that package is own code too.
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
        if file.startswith(_PACKAGE) and not _EXAMPLE.match(file, len(_PACKAGE)):
            return False  # this package's own code
        if self._package is not None and file.startswith(self._package):
            return True
        if file.startswith("<") and not file.startswith((*statements.PROMPTS, "<stdin")):
            return False
        return not is_installed(file)


def is_installed(file: str) -> bool:
    """Whether a file is part of an installed package, or of Python."""
    return file.startswith(_INSTALLED)


def _package_folder(file: str) -> str | None:
    """The folder of the installed package that a file belongs to, unless it is a framework's."""
    for folder in _INSTALLED:
        if file.startswith(folder):
            name = file.removeprefix(folder).split("/")[0]
            return None if name in _FRAMEWORKS or name.endswith(".py") else f"{folder}{name}/"
    return None


def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("purelib", "platlib", "stdlib", "platstdlib")}
    folders |= {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    # The longest first: site-packages before the library folder around it.
    return tuple(sorted((f"{folder.rstrip('/')}/" for folder in folders), key=len, reverse=True))


_INSTALLED = _installed()


def short_path(file: str) -> str:
    """A file as a reader knows it, without folders that mean nothing on another machine."""
    path = Path(file)
    if path.parent.name.startswith("ipykernel_") or file.startswith("<ipython-input"):
        return "a notebook's cell"
    if "site-packages" in path.parts:
        return "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    return str(path.relative_to(_root(path)))


def _root(path: Path) -> Path:
    """The folder around the outermost package that a file belongs to, or the file's own folder."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder
