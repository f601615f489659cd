"""A build that keeps outputs runs a page when its cells, or what they call, have changed."""

import contextlib
import os
import sqlite3
import subprocess
import sys

import pytest
from extensions import kept_outputs

CONF = """
import os
from extensions import kept_outputs

kept_outputs.version = lambda name: os.environ["VERSION"]
extensions = ["myst_nb", "extensions.kernels", "extensions.kept_outputs"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
exclude_patterns = ["_build"]
"""
PAGE = """\
---
file_format: mystnb
kernelspec:
  name: python3
---
# Title

{prose}

```{{code-cell}}
with open("runs", "a") as file:
    file.write("{mark}")
```
"""


def build(folder, prose, mark, version):
    """Build the page; returns what its cell wrote at every run so far."""
    (folder / "index.md").write_text(PAGE.format(prose=prose, mark=mark), encoding="utf-8")
    book = os.path.dirname(os.path.dirname(kept_outputs.__file__))
    environment = os.environ | {"VERSION": version, "PYTHONPATH": book}
    command = [sys.executable, "-m", "sphinx", "-W", "-q", folder, folder / "_build" / "html"]
    subprocess.run(command, env=environment, check=True)
    assert prose in (folder / "_build" / "html" / "index.html").read_text(encoding="utf-8")
    return (folder / "runs").read_text(encoding="utf-8")


def test_a_page_runs_again_when_its_cells_or_versions_change(tmp_path):
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    assert build(tmp_path, "Prose.", "a", "1") == "a"
    assert build(tmp_path, "Other prose.", "a", "1") == "a"
    assert build(tmp_path, "Other prose.", "b", "1") == "ab"
    assert build(tmp_path, "Yet other prose.", "b", "2") == "abb"


BEFORE_PAGES = """
from pathlib import Path

def look(app, *_):
    (database,) = Path(app.doctreedir).glob("kept-outputs/*/global.db")
    Path(app.srcdir, "tables").write_bytes(database.read_bytes())

def setup(app):
    app.connect("env-before-read-docs", look)
"""


def test_what_outputs_are_kept_in_is_there_before_pages_are_read(tmp_path):
    """Each page would make it else, and two may do so at the same time."""
    (tmp_path / "conf.py").write_text(CONF + BEFORE_PAGES, encoding="utf-8")
    build(tmp_path, "Prose.", "a", "1")
    with contextlib.closing(sqlite3.connect(tmp_path / "tables")) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    assert {"settings", "nbproject", "nbcache"} <= names


def test_a_page_that_failed_runs_again(tmp_path):
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    failing = 'a"); raise ValueError(file.name + "'
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError):
            build(tmp_path, "Prose.", failing, "1")
    assert (tmp_path / "runs").read_text(encoding="utf-8") == "aa"


def test_a_change_of_the_package_is_another_state(tmp_path):
    module = tmp_path / "module.py"
    states = set()
    for text in ("x = 1", "x = 2"):
        module.write_text(text, encoding="utf-8")
        states.add(kept_outputs.state(tmp_path))
    module.rename(tmp_path / "renamed.py")
    states.add(kept_outputs.state(tmp_path))
    assert len(states) == 3
    assert states == states | {kept_outputs.state(tmp_path)}


def test_a_setting_of_a_framework_is_another_state(tmp_path, monkeypatch):
    before = kept_outputs.state(tmp_path)
    monkeypatch.setenv("OTHER", "1")
    assert kept_outputs.state(tmp_path) == before
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    assert kept_outputs.state(tmp_path) != before
