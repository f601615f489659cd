"""How a GPU is filled and timed, as far as that can be seen without one.

What only a GPU can say is faked where a framework would say it; nothing here has run on one.
"""

from types import SimpleNamespace

import pytest

from benchmarks import bench_cases, machine, selection
from benchmarks import framework_facts as facts
from benchmarks.selection import FRAMEWORKS
from benchmarks.workloads import writing, yardsticks
from jaxvstorch import _frameworks
from jaxvstorch._doctor.devices import Answer

H200 = 143_771 * 2**20


@pytest.mark.parametrize(
    ("gib", "size"), [(0, 0), (8, 10**7), (16, 10**7), (24, 10**8), (80, 10**8), (192, 10**8)]
)
def test_gpus_of_about_one_size_get_one_size(gib, size) -> None:
    assert machine.largest_size(gib * 2**30) == size
    assert 64 * 4 * size <= gib * 2**30


@pytest.mark.parametrize("quick", [False, True], ids=["full", "quick"])
def test_a_gpu_adds_sizes_that_fill_it_and_takes_none_away(quick) -> None:
    found = {
        f: {(c.topic, c.name, c.size) for c in selection.cases(f, quick, H200)} for f in FRAMEWORKS
    }
    usual = {f: {(c.topic, c.name, c.size) for c in selection.cases(f, quick)} for f in FRAMEWORKS}
    own = (writing.TOPIC, yardsticks.TOPIC)
    pairs = {f: {case for case in found[f] if case[0] not in own} for f in FRAMEWORKS}
    assert found["numpy"] == usual["numpy"]
    assert pairs["jax"] == pairs["torch"] >= {c for c in usual["jax"] if c[0] not in own}
    assert ("tracing", "sin_cos", 10**8) in found["jax"]
    assert ("tracing", "matmul", 8_192) in found["torch"]
    assert ("memory", "copy", 10**8) in found["torch"]
    assert quick or ("yardsticks", "matmul bfloat16", 8_192) in found["jax"]


def test_no_size_is_timed_twice() -> None:
    names = [str(case) for case in selection.cases("jax", gpu_memory=16 * 2**30)]
    assert len(names) == len(set(names))


@pytest.fixture
def gpu(monkeypatch):
    """A machine with a GPU that the frameworks named use."""

    def gpu(*used, there=True, memory=H200):
        answers = {f: Answer({"accelerated": f in used}) for f in ("jax", "torch")}
        listed = {"driver": "580.65", "gpus": [{"name": "NVIDIA H200", "memory_bytes": memory}]}
        monkeypatch.setattr(machine, "nvidia_gpu", lambda environ: there)
        monkeypatch.setattr(machine, "ask_all", lambda names: {n: answers[n] for n in names})
        monkeypatch.setattr(machine, "gpus", lambda: listed)
        return machine.gpu_memory(FRAMEWORKS)

    return gpu


def test_a_gpu_is_filled_where_every_framework_uses_it(gpu) -> None:
    assert gpu("jax", "torch") == (H200, [])
    assert gpu("jax", "torch", there=False) == (0, [])


def test_a_gpu_that_reports_no_memory_is_not_filled_and_that_is_noted(gpu) -> None:
    size, (problem,) = gpu("jax", "torch", memory=None)
    assert size == 0
    assert problem.startswith("nvidia-smi does not report how much memory the GPU has")


def test_a_framework_that_does_not_use_the_gpu_is_named(gpu) -> None:
    size, (problem,) = gpu("jax")
    assert size == 0
    assert problem.startswith("torch: there is a GPU that it does not use: `jaxvstorch doctor`")


def test_tensors_are_moved_wherever_they_stand(monkeypatch) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.Tensor, "cuda", lambda tensor: tensor.to("meta"))
    x, (y,), steps = _frameworks.adapter("torch").to_device((torch.ones(2), (torch.ones(3),), 4))
    assert [x.device.type, y.device.type, steps] == ["meta", "meta", 4]


class Event:
    """PyTorch's event on a GPU: it knows the time at which the work before it was done."""

    now = 0.0

    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        """Note the time."""
        self.time = Event.now

    def synchronize(self):
        """Wait for the work before it, which is done already."""

    def elapsed_time(self, end):
        """In milliseconds."""
        return 1e3 * (end.time - self.time)


def test_pytorch_is_timed_between_events(monkeypatch) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(facts, "computes_elsewhere", lambda framework: True)
    monkeypatch.setattr(Event, "now", 0.0)

    def four_calls():
        Event.now += 4 * 0.002

    assert bench_cases.queued_call("torch", four_calls, 4, waited=0.003) == pytest.approx(0.002)
    rounds_of_calls = Event.now / 0.002 / bench_cases.ROUNDS
    assert rounds_of_calls == pytest.approx(16)  # some 50 ms of them


def test_jax_is_waited_for_once_per_round(monkeypatch) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    monkeypatch.setattr(facts, "computes_elsewhere", lambda framework: True)
    waits = []
    monkeypatch.setattr(jax, "block_until_ready", waits.append)
    # Each wait takes 20 ms of this clock, and nothing else takes any.
    clock = SimpleNamespace(perf_counter=lambda: 0.02 * len(waits))
    monkeypatch.setattr(bench_cases, "time", clock)
    found = bench_cases.queued_call("jax", lambda: "result", 2, waited=0.0025)
    assert found == pytest.approx(0.02 / 20)
    assert len(waits) == 2 * bench_cases.ROUNDS  # once before each round, and once at its end


def test_on_a_cpu_and_without_calls_to_queue_nothing_is_timed(monkeypatch) -> None:
    assert bench_cases.queued_call("numpy", lambda: pytest.fail("it was asked"), 1, 1.0) is None
    monkeypatch.setattr(facts, "computes_elsewhere", lambda framework: True)
    assert bench_cases.queued_call("torch", None, 1, 1.0) is None


def test_the_most_memory_is_asked_of_each_framework(monkeypatch) -> None:
    assert facts.peak_memory("numpy") is None
    first = SimpleNamespace(memory_stats=lambda: {"peak_bytes_in_use": 5, "bytes_in_use": 1})
    fakes = {
        "jax": SimpleNamespace(devices=lambda: [first]),
        "torch": SimpleNamespace(cuda=SimpleNamespace(max_memory_allocated=lambda: 7)),
    }
    monkeypatch.setattr(facts, "computes_elsewhere", lambda framework: True)
    monkeypatch.setattr(facts.importlib, "import_module", fakes.__getitem__)
    assert [facts.peak_memory(name) for name in ("jax", "torch")] == [5, 7]
