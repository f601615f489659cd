"""Kernels trust the processor where PyTorch was seen to find the same by trying."""

import ast
import os
import subprocess
import sys

import pytest
from extensions import vector_instructions
from extensions.vector_instructions import TRUST
from needs import needs_compiler

CONF = """
from extensions import vector_instructions

vector_instructions.ASK = "open('asked', 'a').write('x')"
names = ("kernels", "kept_outputs", "vector_instructions")
extensions = ["myst_nb", *(f"extensions.{name}" for name in names)]
nb_execution_mode = "cache"
exclude_patterns = ["_build"]
"""
PAGE = f"""\
---
file_format: mystnb
kernelspec:
  name: python3
---
# Title

```{{code-cell}}
import os
with open("runs", "a") as file:
    file.write(os.environ["{TRUST}"])
```
"""


def test_a_book_asks_once_and_outputs_are_kept_as_without_it(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv(TRUST, raising=False)
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    book = os.path.dirname(os.path.dirname(vector_instructions.__file__))
    for prose in ("", "More prose."):
        (tmp_path / "index.md").write_text(PAGE + prose, encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-W", "-q", ".", "_build/html"],
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": book}, check=True,
        )  # fmt: skip
    assert (tmp_path / "runs").read_text() == "1"  # once: only prose has changed
    assert (tmp_path / "asked").read_text() == "xx"  # by both ways


@pytest.mark.parametrize(
    ("ask", "right"),
    [
        ("print(['avx2'])", True),
        (f"import os; print(os.environ.get('{TRUST}'))", False),
        ("raise SystemExit(1)", False),
    ],
    ids=["same", "different", "failing"],
)
def test_it_is_trusted_where_both_ways_give_one_answer(monkeypatch, ask, right) -> None:
    monkeypatch.delenv(TRUST, raising=False)
    monkeypatch.setattr(vector_instructions, "ASK", ask)
    assert vector_instructions.processor_is_right() is right


@needs_compiler
def test_what_is_asked_is_what_pytorch_finds_before_its_first_cpp() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", vector_instructions.ASK], capture_output=True, check=True, text=True
    )
    from torch._inductor.cpu_vec_isa import valid_vec_isa_list

    found = [(str(isa), isa.build_arch_flags()) for isa in valid_vec_isa_list()]
    assert ast.literal_eval(asked.stdout) == found
