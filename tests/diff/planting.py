"""Models from `models/`, as they are or with a few texts replaced."""

import importlib.util
import sys
import tempfile
from itertools import count
from pathlib import Path
from types import ModuleType

MODELS = Path(__file__).parent / "models"
_numbers = count()


def load(path: Path) -> ModuleType:
    """Import a file as a module that no other import shares."""
    name = f"{path.stem}_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def plant(file: str, *replacements: tuple[str, str], folder: Path) -> ModuleType:
    """Import a copy of a model's file, written below ``folder``, with texts replaced.

    Raises:
        ValueError: a text occurs not at all or more than once.
    """
    text = (MODELS / file).read_text(encoding="utf-8")
    for old, new in replacements:
        if text.count(old) != 1:
            raise ValueError(f"{file} has {old!r} {text.count(old)} times")
        text = text.replace(old, new)
    # A folder of its own: Python would take the bytecode of another copy, as long and as old.
    path = Path(tempfile.mkdtemp(dir=folder)) / file
    path.write_text(text, encoding="utf-8")
    return load(path)
