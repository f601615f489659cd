"""What it says of a stage."""

import json
import subprocess
import sys

from offline_needs import ROOT


def test_what_the_doctor_found(tool, tmp_path) -> None:
    outcomes = tool("outcomes")
    path = tmp_path / "doctor.json"
    path.write_text("")
    assert outcomes.doctor(path) == "no answer"
    assert outcomes.without_gpu(path) == "JAX and PyTorch"
    jax = {"section": "devices", "name": "JAX", "problem": None,
           "value": "gpu:0 (NVIDIA H200), as JAX_PLATFORMS=cuda,cpu says"}  # fmt: skip
    torch = {"section": "devices", "name": "PyTorch", "problem": None, "value": "cuda:0 (NVIDIA)"}
    path.write_text(json.dumps({"checks": [jax, torch]}))
    assert (outcomes.doctor(path), outcomes.without_gpu(path)) == ("nothing is wrong", "")
    jax |= {"value": "cpu:0 (cpu), as JAX_PLATFORMS=cuda,cpu says", "problem": "too old"}
    path.write_text(json.dumps({"checks": [jax, torch]}))
    assert (outcomes.doctor(path), outcomes.without_gpu(path)) == ("JAX: too old", "JAX")


def test_how_many_tests_ran(tool, tmp_path) -> None:
    outcomes = tool("outcomes")
    report = tmp_path / "report.xml"
    assert outcomes.tests(report) == "no report"
    (tmp_path / "test_some.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n"
        "@pytest.mark.skip(reason='not today')\ndef test_c(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "test_some.py", f"--junit-xml={report}"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert outcomes.tests(report) == "3 tests ran, 1 failures, 1 skipped"


def test_how_much_was_timed(tool, tmp_path) -> None:
    outcomes = tool("outcomes")
    assert outcomes.benchmarks(tmp_path / "none.json") == "no results"
    published = min((ROOT / "benchmarks" / "results").glob("*.json"))
    found = json.loads(published.read_text()) | {"partial": False, "problems": []}
    count = len(found["timings"])
    path = tmp_path / "results.json"
    path.write_text(json.dumps(found))
    assert outcomes.benchmarks(path) == f"{count} timings"
    path.write_text(json.dumps(found | {"partial": True, "left_out": ["a"], "problems": ["b"]}))
    assert outcomes.benchmarks(path) == f"{count} timings, partial, 1 left out, 1 problems"
