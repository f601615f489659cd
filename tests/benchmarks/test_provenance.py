"""What a results file says of its origin: commit, image, devices, precision."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from result_files import MACHINE, load

from benchmarks import framework_facts as facts
from benchmarks import machine, origin
from benchmarks.report.provenance import provenance

ROOT = Path(__file__).parents[2]


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(not shutil.which("git"), reason="no git here, as in the project's images")
def test_a_commit_says_whether_the_files_are_as_committed(tmp_path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "--message", "One")
    name = git(tmp_path, "rev-parse", "HEAD")
    assert origin.commit(tmp_path) == name
    (tmp_path / "more").touch()
    assert origin.commit(tmp_path) == f"{name}-dirty"
    (tmp_path / "more").unlink()
    (tmp_path / "file").write_text("two")
    assert origin.commit(tmp_path) == f"{name}-dirty"


def test_without_git_the_commit_is_not_known(tmp_path, monkeypatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAXVSTORCH_COMMIT", raising=False)
    assert origin.commit(tmp_path) == ""


def test_an_image_says_its_commit_and_its_name(tmp_path, monkeypatch) -> None:
    for name in ("JAXVSTORCH_COMMIT", "JAXVSTORCH_IMAGE"):
        monkeypatch.delenv(name, raising=False)
    assert (origin.commit(tmp_path), origin.image()) == ("", "")
    monkeypatch.setenv("JAXVSTORCH_COMMIT", "c0ffee")
    monkeypatch.setenv("JAXVSTORCH_IMAGE", "jaxvstorch:cpu@sha256:1")
    assert origin.commit(tmp_path) == "c0ffee"
    assert origin.image() == "jaxvstorch:cpu@sha256:1"


def nvidia_smi(folder, monkeypatch, script):
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_gpus_are_listed_with_their_driver(tmp_path, monkeypatch) -> None:
    line = "NVIDIA H200, 143771, 580.65.06"
    nvidia_smi(tmp_path, monkeypatch, f"echo '{line}'; echo '{line}'")
    gpu = {"name": "NVIDIA H200", "memory_bytes": 143771 * 2**20}
    assert machine.gpus() == {"driver": "580.65.06", "gpus": [gpu, gpu]}


@pytest.mark.parametrize("said", ["[N/A]", "[Not Supported]"])
def test_a_gpu_that_reports_no_memory_is_listed(tmp_path, monkeypatch, said) -> None:
    nvidia_smi(tmp_path, monkeypatch, f"echo 'NVIDIA GB10, {said}, 580.65.06'")
    listed = machine.gpus()
    assert listed["gpus"] == [{"name": "NVIDIA GB10", "memory_bytes": None}]
    found = load(tmp_path, machine=MACHINE | listed)
    assert "NVIDIA GB10, memory not reported; Python" in provenance(found)


def test_a_driver_that_does_not_answer_is_no_gpu(tmp_path, monkeypatch) -> None:
    nvidia_smi(tmp_path, monkeypatch, "exit 9")
    assert machine.gpus() == {"driver": None, "gpus": []}


THREADS = """
import os, sys
from jaxvstorch._doctor import settings
settings.usable_cores = lambda: 1
from benchmarks import framework_facts, machine
os.environ.update(machine.ENVIRONMENT)
framework = sys.argv[1]
machine.set_threads(framework)
if framework == "jax":
    import jax
    (jax.numpy.ones((500, 500)) @ jax.numpy.ones((500, 500))).block_until_ready()
print(machine.describe()["cores"], framework_facts.threads(framework))
"""


@pytest.mark.parametrize("framework", ["numpy", "jax", "torch"])
def test_as_many_threads_compute_as_cores_may_be_used(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    command = [sys.executable, "-c", THREADS, framework]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


@pytest.mark.parametrize(
    ("platform_version", "cuda"),
    [("PJRT C API\ncuda 13010", "13.1"), ("PJRT C API\ncuda 12090", "12.9"), ("another", None)],
)
def test_jax_tells_its_gpu_and_its_cuda_version(monkeypatch, platform_version, cuda) -> None:
    client = SimpleNamespace(platform_version=platform_version)
    gpu = SimpleNamespace(platform="gpu", device_kind="NVIDIA H200", client=client)
    fake = SimpleNamespace(devices=lambda: [gpu])
    monkeypatch.setattr(facts.importlib, "import_module", lambda name: fake)
    assert facts.device("jax") == {"platform": "gpu", "name": "NVIDIA H200", "cuda": cuda}


def test_torch_tells_its_gpu_and_its_cuda_version(monkeypatch) -> None:
    cuda = SimpleNamespace(is_available=lambda: True, get_device_name=lambda number: "NVIDIA H200")
    fake = SimpleNamespace(cuda=cuda, version=SimpleNamespace(cuda="13.0"))
    monkeypatch.setattr(facts.importlib, "import_module", lambda name: fake)
    assert facts.device("torch") == {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}


def test_torch_rounds_as_ieee_says_after_it_was_set() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    before = torch.backends.cudnn.conv.fp32_precision
    torch.set_float32_matmul_precision("high")
    try:
        facts.set_precision("torch")
        assert facts.precision("torch") == {
            "float32_matmul_precision": "highest",
            "cuda.matmul.fp32_precision": "ieee",
            "cudnn.conv.fp32_precision": "ieee",
        }
    finally:
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.conv.fp32_precision = before


def test_jax_tells_its_precision() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.default_matmul_precision("highest"):
        found = facts.precision("jax")
    assert found == {"jax_default_matmul_precision": "highest", "jax_enable_x64": False}


def test_all_of_it_is_in_one_line(tmp_path) -> None:
    gpu = {"name": "NVIDIA H200", "memory_bytes": 140 * 2**30}
    device = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}
    found = load(
        tmp_path, machine=MACHINE | {"driver": "580.65", "gpus": [gpu]}, devices={"jax": device},
        commit="0123456789abcdef-dirty", image="cpu@sha256:1",
    )  # fmt: skip
    assert provenance(found) == (
        "A processor, 2 cores, 8 GiB, NVIDIA H200, 140 GiB; Python 3.11, CUDA 13.0 (jax), driver "
        "580.65; threads: jax 2; float32; commit 0123456789ab-dirty; image cpu@sha256:1; 2026-01-02"
    )


CPUINFO = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: {}\nbugs\t\t:\n\n"


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("AMD EPYC", "AMD EPYC (family 25, model 17)"),
        ("AMD EPYC 7B13 64-Core Processor", "AMD EPYC 7B13 64-Core Processor"),
    ],
)
def test_a_processor_whose_name_fits_several_has_its_numbers(
    tmp_path, monkeypatch, name, known_as
) -> None:
    monkeypatch.setattr(machine, "CPUINFO", tmp_path / "cpuinfo")
    machine.CPUINFO.write_text(2 * CPUINFO.format(name))
    assert machine.cpu_model() == known_as


def test_a_processor_without_cpuinfo_has_the_name_that_python_knows(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(machine, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr("platform.processor", lambda: "arm")
    assert machine.cpu_model() == "arm"
    machine.CPUINFO.write_text("processor\t: 0\nFeatures\t: fp asimd\n")
    assert machine.cpu_model() == "arm"


def test_the_work_of_others_is_all_work_less_its_own(tmp_path, monkeypatch) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  800 0 50 900 7 1 1 48 0 0\ncpu0 1 2 3\n")  # 9 seconds
    monkeypatch.setattr("os.sysconf", lambda name: 100)
    monkeypatch.setattr("os.times", lambda: os.times_result((1.0, 0.5, 2.0, 0.25, 99.0)))
    monkeypatch.setattr(machine, "STAT", stat)
    assert machine.work_of_others() == 9.0 - 3.75
    monkeypatch.setattr(machine, "STAT", tmp_path / "none")
    assert machine.work_of_others() is None


_ORPHAN = """
import os, subprocess, sys
from benchmarks import machine
machine.adopt_orphans()
work = "import time\\nwhile time.process_time() < 0.5: pass"
leave = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {work!r}])"
subprocess.run([sys.executable, "-c", leave], check=True)
machine.work_of_others()
times = os.times()
print(times.children_user + times.children_system)
"""


@pytest.mark.skipif(not machine.STAT.exists(), reason="only Linux says who has worked")
def test_what_its_processes_leave_running_is_no_work_of_others() -> None:
    """As the processes are that compile for PyTorch."""
    command = [sys.executable, "-c", _ORPHAN]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=origin.ROOT)
    assert float(ran.stdout) > 0.5
