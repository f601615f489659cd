"""The types of the public API, as mypy reads them from outside."""

import os
import subprocess
import sys

CODE = """\
from typing import Any

import jaxvstorch
import numpy as np
from jaxvstorch import (
    MissingFrameworkError,
    call,
    check_parity,
    expect_error,
    explain,
    first_call,
    ledger,
    new_shape,
    port,
    replaying,
    steady,
)
from jaxvstorch.examples.branching import jax as in_jax
from jaxvstorch.examples.branching import torch as in_torch
from jaxvstorch._pairs.registry import PAIRS

x = np.ones(3, np.float32)


def double(x: Any) -> Any:
    return x + x


marks: list[str] = explain(double, x).marks()
marks = explain(double, x, framework="jax").marks()
printed: str = explain(double, x, framework="both").printed["jax"]
either = explain(double, x, framework=printed)
traces = ledger(double, [(x,), call(x, n=3)], framework="torch").traces
same: bool = check_parity(in_jax.select_where, in_torch.select_where, (x, x), gradient=(1,)).same
report: dict[str, int] = port(double, x).counts()
with replaying(limit=3) as seen, expect_error(ValueError, lines=3):
    print(seen.counts())
print(steady(double, x), jaxvstorch.__version__, [str(pair) for pair in PAIRS])

explain.both(double, x)  # type: ignore[attr-defined]
explain(double, x, framework=3)  # type: ignore[call-overload]
explain(double, x, framework="jax").printed  # type: ignore[attr-defined]
ledger(double, [x])  # type: ignore[list-item]
check_parity(double, double)  # type: ignore[call-arg]
port(double, x, limit="many")  # type: ignore[arg-type]
expect_error("ValueError")  # type: ignore[arg-type]
"""


def test_mypy_takes_what_is_right_and_refuses_what_is_wrong(tmp_path) -> None:
    (tmp_path / "outside.py").write_text(CODE)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache",
               "--python-executable", f"{os.environ['JAXVSTORCH_BARE']}/bin/python",
               "outside.py"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
