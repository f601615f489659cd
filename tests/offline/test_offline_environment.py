"""The environment that it makes of wheels."""

import subprocess
from pathlib import Path

import pytest
from offline_needs import ROOT, both_frameworks


def test_wheels_come_before_all_that_this_python_has(tool, tmp_path, wheel) -> None:
    environment = tool("environment")
    both_frameworks()
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    python = environment.make(tmp_path / "environment", [wheel])
    code = (
        "import importlib.metadata as m, jaxvstorch, onlyhere, pytest;"
        "print(jaxvstorch.__file__, m.version('jaxvstorch'), onlyhere.__file__, pytest.__file__)"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    package, _, added, found = done.stdout.split()
    assert package == str(ROOT / "jaxvstorch" / "__init__.py")
    assert Path(added).is_relative_to(tmp_path / "environment")
    assert found == pytest.__file__


def test_what_is_missing_is_named(tool, tmp_path, wheel, monkeypatch) -> None:
    environment = tool("environment")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = ["onlyhere>=2"]\n'
        '[dependency-groups]\ntest = ["nowhere-else"]\nbench = ["onlyhere>=1"]\n'
    )
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    says = r"have onlyhere>=2 \(there is 1\.0\); nowhere-else \(there is none\): collect"
    with pytest.raises(environment.SetUpError, match=says):
        environment.make(tmp_path / "environment", [wheel])


def test_a_wheel_for_another_python_is_named(tool, tmp_path, wheel) -> None:
    environment = tool("environment")
    other = wheel.rename(wheel.with_name("onlyhere-1.0-cp27-cp27m-linux_x86_64.whl"))
    with pytest.raises(environment.SetUpError, match=f"{other.name} is not a supported wheel"):
        environment.make(tmp_path / "environment", [other])
