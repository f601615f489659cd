"""The state of the C library's heap in which cases are timed."""

import platform
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import conftest

ROOT = Path(__file__).parents[2]
GLIBC = platform.libc_ver()[0] == "glibc"

# Page faults while a new thread makes and frees four arrays of 1 MiB, twenty times.
FAULTS = """
import resource, numpy
from benchmarks import machine
from jaxvstorch.waiting import in_new_thread

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
