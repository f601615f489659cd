"""Whose a file is: Python's, an installed library's, or the reader's."""

import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from types import ModuleType

FRAMEWORKS = ("jax", "jaxlib", "numpy", "torch")

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_EXAMPLES = os.path.join(_PACKAGE, "examples")
_NAMES = ("site-packages", "dist-packages")

Names = frozenset[str] | None  # of what is installed in a folder; None for all that lies there


@dataclass(frozen=True)
class Folders:
    """The folders that a Python imports libraries from.

    Attributes:
        libraries: what is installed in each.
        pythons: those of Python's own library.
        paths: ``os.path``, or that of another system.
    """

    libraries: Mapping[str, Names]
    pythons: tuple[str, ...]
    paths: ModuleType = os.path

    def import_path(self, file: str) -> tuple[str, tuple[str, ...]] | None:
        """The folder that a library's file is imported from, and its path below that."""
        everything = {**dict.fromkeys(self.pythons), **self.libraries}
        # The longest first: site-packages lies in the folder of Python's library.
        for folder in sorted(everything, key=len, reverse=True):
            parts, names = self.below(file, folder), everything[folder]
            if parts and (names is None or self.paths.normcase(parts[0]) in names):
                return folder, parts
        return None

    def below(self, file: str, folder: str) -> tuple[str, ...]:
        """The path of a file below a folder; empty if it lies elsewhere."""
        file = self.paths.normpath(file)  # an entry of sys.path may hold ".."
        start = self.paths.normcase(self.paths.join(folder, ""))
        if not self.paths.normcase(file).startswith(start):
            return ()
        return tuple(file[len(start) :].replace(self.paths.sep, "/").split("/"))


def import_path(file: str) -> tuple[str, tuple[str, ...]] | None:
    """The folder that a file of a library or of Python is imported from, and its path below."""
    return _import_path(file, tuple(sys.path))


def is_installed(file: str) -> bool:
    """Whether a file is part of an installed library, or of Python.

    This package's examples are the reader's to explain, wherever they lie.
    """
    return import_path(file) is not None and not folders().below(file, _EXAMPLES)


def is_pythons(file: str) -> bool:
    """Whether a file is part of Python's own library."""
    origin = import_path(file)
    return origin is not None and origin[0] in folders().pythons


def is_instrument(file: str) -> bool:
    """Whether a file is this package's own, and no topic's example."""
    parts = folders().below(file, _PACKAGE)
    return bool(parts) and not (parts[0] == "examples" and len(parts) > 2)


def folders() -> Folders:
    """Those of this Python, by its ``sys.path`` as it is now."""
    return _folders(tuple(sys.path))


@cache
def _import_path(file: str, path: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    return _folders(path).import_path(file)


@cache
def _folders(path: tuple[str, ...]) -> Folders:
    known = sysconfig.get_paths()
    pythons = tuple({known["stdlib"], known["platstdlib"]})
    libraries: dict[str, Names] = {known["purelib"]: None, known["platlib"]: None}
    for folder in map(os.path.abspath, path):
        if os.path.basename(folder) in _NAMES:
            libraries[folder] = None
        elif folder not in (*pythons, *libraries) and (recorded := frozenset(_recorded(folder))):
            libraries[folder] = recorded
    for package in _packages():
        folder, name = os.path.split(package)
        names = libraries.get(folder, frozenset())
        libraries[folder] = None if names is None else names | {os.path.normcase(name)}
    return Folders(libraries, pythons)


def _recorded(folder: str) -> Iterator[str]:
    """What installers put into a folder, by their records.

    A reader's own folder can hold some too. A project's ``.egg-info`` there has no record.
    """
    from importlib.metadata import distributions  # takes longer to import than all above

    for distribution in distributions(path=[folder]):
        for line in (distribution.read_text("RECORD") or "").splitlines():
            yield os.path.normcase(line.partition(",")[0].partition("/")[0])


def _packages() -> Iterator[str]:
    """The folders of the frameworks, as built from source too; none is imported for that."""
    for name in FRAMEWORKS:
        with suppress(ValueError):  # something put a module without a specification there
            spec = find_spec(name)
            if spec and spec.origin:
                yield from spec.submodule_search_locations or ()
