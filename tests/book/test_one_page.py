"""A page that is edited alone gets no process of its own."""

import os
import subprocess
import sys

from extensions import one_page

CONF = """
import os

extensions = ["extensions.one_page"]
sphinx = os.getpid()

def note(app, name, source):
    with open("read", "a") as file:
        file.write(f"{name}: {'Sphinx' if os.getpid() == sphinx else 'another process'}\\n")

def setup(app):
    app.connect("source-read", note)
    return {"parallel_read_safe": True}
"""


def test_only_a_page_that_is_edited_alone_is_read_by_sphinx_itself(tmp_path) -> None:
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    (tmp_path / "index.rst").write_text(
        "Title\n=====\n\n.. toctree::\n\n   page\n", encoding="utf-8"
    )
    book = os.path.dirname(os.path.dirname(one_page.__file__))
    for paragraph in ("First.", "Second."):
        (tmp_path / "page.rst").write_text(f"Page\n====\n\n{paragraph}\n", encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-W", "-q", "-j", "2", ".", "_build"],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": book}, check=True,
        )  # fmt: skip
    read = (tmp_path / "read").read_text(encoding="utf-8").splitlines()
    assert sorted(read[:2]) == ["index: another process", "page: another process"]
    assert read[2:] == ["page: Sphinx"]
