"""The wheel in an environment of its own, which ``nox -s installed`` makes, and an empty folder."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Variables of the environment that these tests run in, and that would reach into the other one.
_OURS = re.compile("PYTHON|COLUMNS|VIRTUAL_ENV")

TRAIN = """\
import torch

print(torch.nn.Linear(4, 2)(torch.ones(3, 4)).relu().sum())
"""


@pytest.fixture
def shell(tmp_path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs a line as a reader types it, in an empty folder but for a ``train.py``."""
    (tmp_path / "train.py").write_text(TRAIN)
    environ = {name: text for name, text in os.environ.items() if not _OURS.match(name)}
    environ |= {
        "PATH": f"{os.environ['JAXVSTORCH_BARE']}/bin:{os.environ['PATH']}",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }

    def run(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            line, shell=True, cwd=tmp_path, env=environ, capture_output=True, text=True
        )

    return run
