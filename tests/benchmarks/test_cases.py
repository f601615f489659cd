"""A case whose inputs are ready."""

import os
import subprocess
from types import SimpleNamespace

import pytest

from benchmarks import cases, one_framework
from benchmarks.cases import PASSES, calling, pair_case
from benchmarks.origin import ROOT
from jaxvstorch._pairs.registry import PAIRS, Pair


@pytest.mark.parametrize(("took", "calls"), [(1e-5, 2 * PASSES), (1e-3, 2)], ids=["short", "long"])
def test_a_run_of_short_calls_has_more_of_them(monkeypatch, took, calls) -> None:
    """What surrounds a run costs a tenth of a microsecond and more: it must not count."""
    called = []

    def function(x):
        called.append(x)

    timeit = SimpleNamespace(repeat=lambda run, number, repeat: [took] * repeat)
    monkeypatch.setattr(cases, "timeit", timeit)
    run, said = calling(function, [(1,), (2,)]).begin()
    called.clear()
    run()
    assert (len(called), said) == (calls, calls)


def test_the_modes_of_a_pair_share_the_making_of_inputs_and_not_the_arrays() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    made = []
    (found,) = [pair for pair in PAIRS if str(pair) == "tracing.sin_cos"]

    class Counting(Pair):
        def make_inputs(self, size, dtype="float32", seed=0):
            made.append(seed)
            return super().make_inputs(size, dtype, seed)

    pair = Counting(**vars(found))
    first, second = (
        pair_case(pair, 300_000, "torch", "eager").build().start.args[1] for _ in range(2)
    )
    assert made == list(range(len(first)))
    (x,), (y,) = first[0], second[0]
    assert x.equal(y)
    assert x.data_ptr() != y.data_ptr()


PLUGIN = """
import jax, pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    jitted = jax.jit(lambda x: x)
    jitted(1.0)
    print("\\nprograms before:", jitted._cache_size())
    yield
    print("\\nprograms after:", jitted._cache_size())
    return True
"""


def test_a_case_finds_no_programs_of_earlier_ones(tmp_path) -> None:
    """JAX keeps all of them, and in a process with many its calls take longer."""
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    pytest.importorskip("jax", reason="JAX is not installed")
    (tmp_path / "programs.py").write_text(PLUGIN)
    choice = ["--quick", "-k", "select_where-16-jax-eager", "-p", "programs", "-s"]
    command = one_framework.command("jax", tmp_path / "part.json", choice)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line.startswith("programs")]
    assert said == ["programs before: 1", "programs after: 0"], done.stdout + done.stderr
