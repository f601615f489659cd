"""The thread, and with it the C library's heap, in which cases are timed."""

import os
import platform
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import conftest, one_framework

ROOT = Path(__file__).parents[2]
GLIBC = platform.libc_ver()[0] == "glibc"

# Page faults while a new thread makes and frees four arrays of 1 MiB, twenty times.
FAULTS = """
import resource, numpy
from benchmarks import machine
from jaxvstorch._measure.waiting import in_new_thread

def use():
    [numpy.ones(2**18, numpy.float32) for _ in range(4)]

def faults():
    use()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        use()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(in_new_thread(faults))
machine.keep_freed_memory()
print(in_new_thread(faults))
"""


@pytest.mark.skipif(not GLIBC, reason="what is freed is given back in this way by glibc")
def test_freed_memory_is_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAULTS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    before, after = map(int, done.stdout.split())
    assert before > 20 * 400  # of 1,024 pages in a turn
    assert after < 100


# Says what a session does before its first case, and in which thread a case computes.
PLUGIN = """
import threading
from benchmarks import bench_cases, machine

def saying(word, function):
    return lambda *arguments: (print(word()), function(*arguments))[1]

def thread():
    main = threading.get_ident() == threading.main_thread().ident
    return "in the main thread" if main else "in a new thread"

machine.keep_freed_memory = saying(lambda: "freed memory is kept", machine.keep_freed_memory)
bench_cases.queued_call = saying(thread, bench_cases.queued_call)
"""


def test_a_session_times_like_this(tmp_path) -> None:
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    (tmp_path / "saying.py").write_text(PLUGIN, encoding="utf-8")
    choice = ["--quick", "-k", "select_cond-16", "-p", "saying", "-s"]
    command = one_framework.command("numpy", tmp_path / "part.json", choice)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": f"{tmp_path}:{ROOT}", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith(("freed", "in "))]
    assert said == ["freed memory is kept", "in a new thread"]


# The threads of a process before and after a session's set-up, and when PyTorch has computed.
# Saying how many there shall be starts one that is not OpenMP's.
THREADS = """
import os, torch
from benchmarks import framework_facts, machine

def threads():
    return len(os.listdir("/proc/self/task"))

machine.keep_freed_memory()
machine.import_framework("torch")
machine.set_threads("torch")
torch.set_num_threads(2)  # also on one core
before = threads()
framework_facts.set_precision("torch")
machine.set_up("torch")
after = threads()
torch.ones(1_000_000).sin()
print(before, after, threads())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists threads in this way")
def test_setting_up_does_not_compute_in_the_main_thread() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    done = subprocess.run(
        [sys.executable, "-c", THREADS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    before, after, computing = map(int, done.stdout.split())
    assert before == after < computing


def run_case(case) -> None:
    item = SimpleNamespace(obj=case)
    wrapper = conftest.pytest_pyfunc_call(item)
    next(wrapper)
    item.obj(name="value")


def test_a_case_has_a_thread_of_its_own() -> None:
    seen = {}
    run_case(lambda name: seen.update({name: threading.get_ident()}))
    assert seen.keys() == {"value"}
    assert seen["value"] != threading.get_ident()


def test_an_error_of_a_case_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        run_case(lambda name: 1 / 0)
