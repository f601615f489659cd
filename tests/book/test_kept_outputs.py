"""A build that keeps outputs runs a page when its cells, or what they call, have changed."""

import os
import subprocess
import sys

from extensions import kept_outputs

CONF = """
from pathlib import Path
from types import SimpleNamespace

from extensions import kept_outputs

kept_outputs.jaxvstorch = SimpleNamespace(__file__=Path("package/__init__.py").resolve())
extensions = ["myst_nb", "extensions.kernels", "extensions.kept_outputs"]
nb_execution_mode = "cache"
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


def build(folder, prose, mark):
    """Build the page; returns what its cell wrote at every run so far."""
    (folder / "index.md").write_text(PAGE.format(prose=prose, mark=mark), encoding="utf-8")
    book = os.path.dirname(os.path.dirname(kept_outputs.__file__))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", folder, folder / "_build" / "html"]
    subprocess.run(command, env=os.environ | {"PYTHONPATH": book}, check=True)
    assert prose in (folder / "_build" / "html" / "index.html").read_text(encoding="utf-8")
    return (folder / "runs").read_text(encoding="utf-8")


def test_a_page_runs_again_when_its_cells_or_the_package_change(tmp_path):
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    (tmp_path / "package").mkdir()
    assert build(tmp_path, "Prose.", "a") == "a"
    assert build(tmp_path, "Other prose.", "a") == "a"
    assert build(tmp_path, "Other prose.", "b") == "ab"
    (tmp_path / "package" / "module.py").touch()
    assert build(tmp_path, "Yet other prose.", "b") == "abb"
