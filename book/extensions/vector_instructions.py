"""Spares each kernel a second: which vector instructions work is found out once, and kept.

Before its first C++ PyTorch loads small libraries in processes of their own, to see which vector
instructions compiler and system can do of those that the processor has. With a setting it trusts
the processor. The kernels have that setting where both ways were seen to give the same answer, by
the same PyTorch with the same compiler.
"""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from jaxvstorch.doctor import compiler

TRUST = "TORCHINDUCTOR_VEC_ISA_OK"
ASK = """
from torch._inductor.cpu_vec_isa import valid_vec_isa_list
print([(str(found), found.build_arch_flags()) for found in valid_vec_isa_list()])
"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Set it after the state that outputs are kept for is known: it changes no output."""
    app.connect("env-before-read-docs", _trust)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _trust(app: Sphinx, env: BuildEnvironment, names: list[str]) -> None:
    if not names or TRUST in os.environ:
        return
    called = Path(compiler.find(os.environ) or "none").resolve().name  # such as g++-12
    kept = Path(app.doctreedir, f"vector-instructions-{version('torch')}-{called}")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(str(processor_is_right()), encoding="utf-8")
    if kept.read_text(encoding="utf-8") == str(True):
        os.environ[TRUST] = "1"


def processor_is_right() -> bool:
    """Does PyTorch find the same vector instructions with and without trying them?"""
    asked = [
        subprocess.Popen([sys.executable, "-c", ASK], env=environment, stdout=subprocess.PIPE)
        for environment in (os.environ, os.environ | {TRUST: "1"})
    ]
    answers = [process.communicate()[0] for process in asked]
    return all(process.returncode == 0 for process in asked) and answers[0] == answers[1]
