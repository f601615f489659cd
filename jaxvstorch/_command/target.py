"""The function that the command is to explain: ``FILE.py:function``, found and imported."""

import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._frameworks.importing import MissingFrameworkError


@dataclass(frozen=True)
class Target:
    """A function, and the module that it was found in.

    Attributes:
        text: as it was given.
        module: where the name was looked up.
        function: what has that name.
    """

    text: str
    module: ModuleType
    function: Any


@contextmanager
def load(text: str, *, any_object: bool = False) -> Iterator[Target]:
    """Import what ``path/to/file.py:name`` or ``package.module:name`` names.

    In this block, and not only while the module is imported, its folder is on ``sys.path``: a
    function may import when it runs.

    Args:
        text: what was given.
        any_object: whether a class will do too, and what cannot be called.

    Raises:
        BadInputError: no such file, module or function, or the import failed.
    """
    where, colon, name = text.rpartition(":")
    if not (colon and where and name):
        raise BadInputError(f"expected FILE.py:function or package.module:function, not {text!r}")
    is_file = where.endswith(".py") or os.sep in where or Path(where).is_file()
    folder, module_name = _file(where) if is_file else (Path.cwd(), where)
    path = list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        module = _import(where, module_name, Path(where).resolve() if is_file else None)
        yield Target(text, module, (find if any_object else lookup)(module, name, where))
    finally:
        sys.path[:] = path


def module_file(name: str) -> Path:
    """The file that ``python -m name`` runs; nothing is imported to tell.

    Raises:
        BadInputError: there is none.
    """
    parts, folders = name.split("."), [os.getcwd(), *sys.path]
    for number in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: number + 1]), folders)
        folders = list(spec.submodule_search_locations or []) if spec else []
    if folders:
        spec = PathFinder.find_spec(f"{name}.__main__", folders)
    if spec is None or spec.origin is None:
        what = f"{name} is a package without a __main__" if folders else f"no module {name} here"
        raise BadInputError(f"-m {name}: {what}; give a name that python -m accepts")
    return Path(spec.origin)


def _file(where: str) -> tuple[Path, str]:
    """The folder that a file's module is imported from, and the module's name."""
    path = Path(where).resolve()
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise BadInputError(f"{where} {what}: expected a Python file, as in model.py:loss")
    if path.suffix != ".py":
        raise BadInputError(f"{where} is not Python: its name must end in .py")
    folder, parts = path.parent, [path.stem]
    # A file of a package is imported as part of it, for its relative imports, and so that a
    # jax.py in it does not shadow JAX.
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts).removesuffix(".__init__")


def _import(where: str, name: str, path: Path | None) -> ModuleType:
    try:
        if path is None or "." in name:
            module = importlib.import_module(name)
        else:
            module = _import_file(name, path)
    except (Exception, SystemExit) as error:
        # KeyboardInterrupt passes through.
        raise BadInputError(_import_failed(where, name, error)) from error
    taken_by = getattr(module, "__file__", None)
    if path is not None and (taken_by is None or Path(taken_by).resolve() != path):
        raise BadInputError(
            f"{where} cannot be imported: its name {name} is taken by {taken_by}; "
            "run the command from an environment without that package, or rename the file"
        )
    return module


def _import_file(name: str, path: Path) -> ModuleType:
    """Import a single file, under its own name where no other module has it."""
    name = re.sub(r"\W", "_", name)
    while name in sys.modules and getattr(sys.modules[name], "__file__", None) != str(path):
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and inspect look a class's module up here.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _import_failed(where: str, name: str, error: BaseException) -> str:
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and (name == missing or name.startswith(f"{missing}.")):
        return f"there is no module {missing!r} here: expected package.module:function or FILE.py:…"
    if missing in _frameworks.FRAMEWORKS:
        try:
            _frameworks.require(missing, wanted_by=where)
        except MissingFrameworkError as how_to_install:
            return str(how_to_install)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if Path(frame.filename).name == Path(where).name]
    at_line = f" (line {own[-1]})" if own else ""
    message = " ".join(str(error).split())
    return f"{where} could not be imported: {type(error).__name__}: {message}{at_line}"


def lookup(module: ModuleType, name: str, where: str) -> Any:
    """The function, method or object to call that a dotted name stands for.

    Args:
        module: where the first part of the name is looked up.
        name: such as ``"loss"`` or ``"Net.forward"``.
        where: what the module was called on the command line, for the message.

    Raises:
        BadInputError: there is no such name, or what has it cannot be called.
    """
    value = find(module, name, where)
    if inspect.isclass(value):
        raise BadInputError(
            f"{name} in {where} is a class: name one of its methods, or an instance made at top "
            "level"
        )
    if not callable(value):
        raise BadInputError(
            f"{name} in {where} is not a function: it is of type {type(value).__name__}, which "
            "cannot be called"
        )
    return value


def find(module: ModuleType, name: str, where: str) -> Any:
    """Whatever a dotted name stands for; see ``lookup``.

    Raises:
        BadInputError: there is no such name.
    """
    value: Any = module
    inside = where
    for part in name.split("."):
        if not hasattr(value, part):
            raise BadInputError(f"{inside} has no {part!r}.{_suggestion(value, part)}")
        value = getattr(value, part)
        inside = f"{part} in {where}"
    return value


def _suggestion(owner: Any, name: str) -> str:
    """The names nearest to a misspelt one, or some of those that exist."""
    named = getattr(owner, "__dict__", {})
    names = [key for key, value in named.items() if callable(value) and key[:1] != "_"]
    # A package that imports what it has when it is read lists more in dir().
    near = difflib.get_close_matches(name, [*names, *dir(owner)], n=3)
    if near:
        return f" Did you mean {' or '.join(dict.fromkeys(near))}?"
    module = getattr(owner, "__name__", "")
    own = [key for key in names if getattr(named[key], "__module__", "") == module]
    first, more = (own or names)[:8], (own or names)[8:]
    return f" It has {', '.join(first)}{f' and {len(more)} more' if more else ''}." if names else ""
