"""The ledger that ``jaxvstorch explain --json`` prints is the one that ``ledger`` returns."""

import json

import pytest
from typer.testing import CliRunner

from jaxvstorch import ledger
from jaxvstorch._command.cli import app


def test_its_data_are_those_of_a_ledger() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    calls = ["--call", "f32[3], approximate=True", "--call", "f32[3], approximate=True"]
    target = "jax.nn:gelu"
    result = CliRunner().invoke(app, ["explain", target, *calls, "--json"])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)["ledger"]
    made = json.loads(json.dumps(ledger(jax.jit(lambda x: x), [(1.0,)]).to_dict()))
    assert printed["schema"] == made["schema"] == {"name": "jaxvstorch-ledger", "version": 1}
    assert printed.keys() == made.keys()
    assert [call["arguments"] for call in printed["calls"]] == ["f32[3], approximate=True"] * 2
