"""The modules of the folder ``tools``, and a wheel to give them."""

import importlib
import zipfile
from pathlib import Path

import pytest
from offline_needs import TOOLS


@pytest.fixture
def tool(monkeypatch):
    """Imports a module of the folder ``tools``."""
    monkeypatch.syspath_prepend(TOOLS)
    return importlib.import_module


@pytest.fixture
def wheel(tmp_path) -> Path:
    """A wheel of a package that nobody else has, alone in a folder."""
    path = tmp_path / "wheels" / "onlyhere-1.0-py3-none-any.whl"
    path.parent.mkdir()
    files = {
        "onlyhere.py": "",
        "onlyhere-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: onlyhere\nVersion: 1.0\n",
        "onlyhere-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        "onlyhere-1.0.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path
