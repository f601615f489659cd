"""The doctor: what it calls wrong, the cure it names, and that nothing takes it down."""

import json
import os
import stat
import subprocess
import sys
from importlib.util import find_spec

import pytest
from needs import needs_compiler
from typer.testing import CliRunner

from jaxvstorch import doctor
from jaxvstorch.cli import app
from jaxvstorch.doctor import Check, compiler, devices, packages, settings
from jaxvstorch.doctor.devices import Answer

FINE = Check("versions", "Python", "3.11.7")
BROKEN = Check("versions", "PyTorch", "2.0", "this is too old", "pip install 'torch>=2.8'")
CPU = Answer({"devices": ["cpu"], "accelerated": False, "cuda": None, "threads": 2, "cache": None})
CUDA = Answer({"devices": ["cuda:0"], "accelerated": True, "cuda": "13.0", "threads": 2})

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


def run_doctor(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "jaxvstorch", "doctor", *arguments]
    merged = {**os.environ, **environ}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=merged)


def named(checks: list[Check], name: str) -> Check:
    (found,) = [check for check in checks if check.name == name]
    return found


# The command


def test_the_whole_command_on_this_machine() -> None:
    done = run_doctor("--json")
    found = json.loads(done.stdout)
    problems = [check for check in found["checks"] if check["problem"]]
    assert done.returncode == (1 if problems else 0), done.stderr
    assert found["healthy"] is not bool(problems)
    sections = list(dict.fromkeys(check["section"] for check in found["checks"]))
    assert sections == ["versions", "devices", "compiler", "caches", "memory", "threads"]
    assert all(check["cure"] for check in problems)


@pytest.mark.parametrize(("checks", "status"), [([FINE], 0), ([FINE, BROKEN], 1)])
def test_exit_status_and_report(monkeypatch, checks, status) -> None:
    monkeypatch.setattr(doctor, "examine", lambda: checks)
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == status
    assert result.stdout.splitlines()[1].split() == ["ok", "Python", "3.11.7"]
    assert ("Nothing is wrong." in result.stdout) == (status == 0)
    wrong = (
        "  wrong  PyTorch  2.0\n"
        "         this is too old\n"
        "         To mend it: pip install 'torch>=2.8'\n\n1 thing is wrong.\n"
    )
    assert result.stdout.endswith(wrong) == (status == 1)
    as_json = CliRunner().invoke(app, ["doctor", "--json"])
    assert as_json.exit_code == status
    assert json.loads(as_json.stdout)["healthy"] is (status == 0)


def test_the_doctor_imports_neither_framework() -> None:
    code = "import sys; from jaxvstorch import doctor; doctor.examine(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert not {"jax", "jaxlib", "torch"} & set(done.stdout.split())


# A framework that is broken


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ImportError('libcudart.so.13: cannot open')", "libcudart.so.13: cannot open"),
        ("import os; os.abort()", "importing it ended Python with signal 6"),
        ("import sys; sys.exit(3)", "it exited with 3"),
        ("version = None", "AttributeError"),
    ],
)
def test_a_broken_framework_is_a_finding(tmp_path, body, says) -> None:
    for name in ("torch", "torch-9.0.dist-info"):
        (tmp_path / name).mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(body)
    (tmp_path / "torch-9.0.dist-info" / "METADATA").write_text("Name: torch\nVersion: 9.0\n")
    done = run_doctor("--json", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1, done.stderr
    checks = [Check(**check) for check in json.loads(done.stdout)["checks"]]
    (found,) = [c for c in checks if c.section == "devices" and c.name == "PyTorch"]
    assert says in found.problem
    assert "pip install --force-reinstall torch" in found.cure
    assert any(c.section == "versions" and c.value == "9.0" for c in checks)


def test_a_framework_that_hangs_is_a_finding(monkeypatch) -> None:
    monkeypatch.setitem(devices._QUESTIONS, "jax", "import time; time.sleep(60)")
    assert devices.ask("jax", timeout=0.5).failure == "it did not answer within 0.5 seconds"


# Versions and CUDA libraries


def test_a_missing_package_and_an_old_one() -> None:
    missing = packages._check_version("no-such-package", None)
    assert (missing.value, missing.problem) == ("not installed", "the pairs need it")
    old = packages._check_version("numpy", "99.0")
    assert "tested with 99.0 and newer" in old.problem
    assert old.cure == "pip install 'numpy>=99.0'"
    assert packages._check_version("numpy", "1.0").problem is None


@pytest.mark.parametrize(
    ("newer", "older"), [("2.10", "2.9.1"), ("2.13.0+cpu", "2.8"), ("0.12.0.1", "0.12.0")]
)
def test_versions_are_compared_as_numbers(newer, older) -> None:
    assert packages._numbers(newer) > packages._numbers(older)


TORCH_12 = [("torch", "2.9.1+cu128"), ("nvidia-cublas-cu12", "12.8.4.1")]
TORCH_13 = [("torch", "2.11.0"), ("nvidia-cublas", "13.1.0"), ("nvidia-cudnn-cu13", "9.15.1")]
JAX_12 = [("jax-cuda12-plugin", "0.10.2"), ("nvidia-cudnn-cu12", "9.8.0")]
JAX_13 = [("jax-cuda13-pjrt", "0.10.2"), ("nvidia-cuda-runtime", "13.0.96")]


@pytest.mark.parametrize(
    ("distributions", "value"),
    [
        ([("torch", "2.13.0+cpu"), ("jax", "0.10.2"), ("nvidia-ml-py", "13.1.0")], "none"),
        (TORCH_12 + JAX_12, "CUDA 12"),
        (TORCH_13 + JAX_13, "CUDA 13"),
    ],
)
def test_one_cuda_version_is_fine(distributions, value) -> None:
    found = packages._check_stacks(distributions)
    assert (found.value, found.problem) == (value, None)


@pytest.mark.parametrize("distributions", [TORCH_12 + JAX_13, TORCH_13 + JAX_12])
def test_two_cuda_versions_are_wrong(distributions) -> None:
    found = packages._check_stacks(distributions)
    assert found.value == "CUDA 12, CUDA 13"
    assert "two CUDA versions" in found.problem
    assert "jaxvstorch[cuda13]" in found.cure
    older = [name for name, _ in distributions if "12" in name]
    assert found.cure.endswith("pip uninstall " + " ".join(sorted(older)))


# Devices


@pytest.mark.parametrize(
    ("framework", "answer", "gpu", "environ", "problem"),
    [
        ("jax", CPU, False, {}, None),
        ("jax", CUDA, True, {}, None),
        ("jax", CPU, True, {}, "there is an NVIDIA GPU, which it does not use"),
        ("jax", CPU, True, {"JAX_PLATFORMS": "cpu"}, None),
        ("torch", CPU, True, {}, "there is an NVIDIA GPU, which it does not use"),
        ("torch", Answer({**CPU.facts, "cuda": "13.0"}), True, {}, "it is built for CUDA 13.0"),
    ],
)
def test_a_gpu_that_is_not_used(framework, answer, gpu, environ, problem) -> None:
    (found,) = devices.check({framework: answer}, gpu, environ)
    assert (found.problem or "").startswith(problem or "")
    assert bool(found.problem) == bool(found.cure) == bool(problem)


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_the_frameworks_answer(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    answer = devices.ask(framework)
    assert answer.failure is None
    assert answer.facts["devices"]


# The compiler


@needs_compiler
def test_a_compiler_that_works() -> None:
    (found,) = compiler.check(os.environ, needed=True)
    assert found.problem is None


def test_no_compiler() -> None:
    (found,) = compiler.check({"PATH": "/nowhere"}, needed=True)
    assert found.problem == "torch.compile cannot compile for the CPU without one"
    assert found.cure.startswith("apt install g++")
    (found,) = compiler.check({"PATH": "/nowhere"}, needed=False)
    assert found.problem is None
    (found,) = compiler.check({"PATH": os.defpath, "CXX": "no-such-c++"}, needed=True)
    assert found.value == "CXX=no-such-c++, not found"


@pytest.mark.parametrize(
    ("script", "problem", "cure"),
    [
        (
            "echo 'p.cpp:2: fatal error: Python.h: No such file' >&2; exit 1",
            "Python.h",
            "python3-dev",
        ),
        ("exit 4", "exit status 4", "g++"),
        ("exit 0", "does not compile and run", "g++"),
    ],
)
def test_a_compiler_that_does_not_work(tmp_path, script, problem, cure) -> None:
    fake = tmp_path / "g++"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    (found,) = compiler.check({"PATH": f"{tmp_path}{os.pathsep}{os.defpath}"}, needed=True)
    assert found.value == str(fake)
    assert problem in found.problem
    assert cure in found.cure


@needs_torch
def test_the_compiler_is_the_one_that_inductor_calls() -> None:
    code = "from torch._inductor.cpp_builder import get_cpp_compiler as g; print(g())"
    for environ in ({}, {"CXX": "c++"}):
        merged = {k: v for k, v in os.environ.items() if k != "CXX"} | environ
        expected = compiler.find(merged)
        if expected is None:
            pytest.skip("there is no C++ compiler here")
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, env=merged, timeout=120)
        assert done.stdout.strip() == os.path.basename(expected)


# Settings


def test_cache_folders(tmp_path) -> None:
    answers = {"jax": CPU, "torch": CPU}
    checks = settings.check_caches(answers, {})
    assert not any(check.problem for check in checks)
    assert named(checks, "JAX_COMPILATION_CACHE_DIR").value == "not set: nothing is kept"
    assert named(checks, "TORCHINDUCTOR_CACHE_DIR").value.startswith("not set: a folder in ")
    file = tmp_path / "file"
    file.touch()
    jax_answer = Answer({**CPU.facts, "cache": str(file / "below")})
    checks = settings.check_caches(
        {"jax": jax_answer, "torch": CPU}, {"TORCHINDUCTOR_CACHE_DIR": str(file)}
    )
    assert [check.problem for check in checks] == [f"{file} is not a folder"] * 2
    assert named(checks, "TORCHINDUCTOR_CACHE_DIR").cure == (
        'export TORCHINDUCTOR_CACHE_DIR="$HOME/.cache/torchinductor"'
    )
    new = settings.check_caches(answers, {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "new" / "one")})
    assert not any(check.problem for check in new)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("environ", "shared", "problem"),
    [
        ({}, False, None),
        ({}, True, "JAX leaves PyTorch a quarter"),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, True, None),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "true"}, True, "JAX leaves PyTorch a quarter"),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "no"}, False, "JAX takes this for yes"),
        ({"XLA_CLIENT_MEM_FRACTION": ".3"}, True, None),
    ],
)
def test_preallocation(environ, shared, problem) -> None:
    found = named(settings.check_memory(environ, shared), "XLA_PYTHON_CLIENT_PREALLOCATE")
    assert (found.problem or "").startswith(problem or "")
    assert found.cure == ("export XLA_PYTHON_CLIENT_PREALLOCATE=false" if problem else None)


@pytest.mark.parametrize("value", ["no", "FALSE", "False", "false", "0", "true", "1"])
def test_jax_reads_preallocation_as_the_doctor_says(monkeypatch, value) -> None:
    client = pytest.importorskip("jaxlib.xla_client", reason="JAX is not installed")
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", value)
    taken = client.generate_pjrt_gpu_plugin_options()["preallocate"]
    assert taken == (value not in settings._FALSE)


def test_an_old_and_a_new_name_that_disagree() -> None:
    old, new = "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"
    checks = settings.check_memory({old: "backend:native", new: "backend:cudaMallocAsync"}, False)
    assert named(checks, new).problem == "the newer name and the older one say different things"
    assert named(checks, new).cure == f"unset {old}"
    same = settings.check_memory({old: "backend:native", new: "backend:native"}, False)
    assert not any(check.problem for check in same)
    assert named(settings.check_memory({old: "backend:native"}, False), old).value


@pytest.mark.parametrize(
    ("value", "fine"), [("4", True), ("4,2", True), ("0", False), ("many", False), ("", False)]
)
def test_thread_settings(value, fine) -> None:
    found = named(settings.check_threads({}, {"OMP_NUM_THREADS": value}), "OMP_NUM_THREADS")
    assert (found.problem is None) is fine


def test_more_threads_than_cores() -> None:
    cores = settings.usable_cores()
    for threads, fine in ((cores, True), (cores + 1, False)):
        checks = settings.check_threads({"torch": Answer({"threads": threads})}, {})
        found = named(checks, "PyTorch's threads")
        assert (found.problem is None) is fine
        assert fine or found.cure == f"export OMP_NUM_THREADS={cores}"


@pytest.mark.parametrize(
    ("limit", "cores"),
    [("50000 100000", 1), ("190000 100000", 1), ("max 100000", None), ("?", None)],
)
def test_a_quota_counts(tmp_path, limit, cores) -> None:
    (tmp_path / "cpu.max").write_text(limit + "\n")
    assert settings.usable_cores(tmp_path) == (cores or settings.usable_cores())
