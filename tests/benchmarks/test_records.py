"""From what processes write to the records of a file, and from these to timings."""

import msgspec
import pytest
from process_files import part, timed
from result_files import load

from benchmarks import measuring, one_framework, sessions
from benchmarks.report import files
from benchmarks.report.entries import Device, Record
from benchmarks.report.timings import timings


@pytest.fixture
def processes_write(monkeypatch):
    """Processes that take no time: one writes each document, and crashes where there is none."""

    def give(*documents):
        left = iter(documents)

        def run(framework, path, choice, progress):
            document = next(left)
            path.write_bytes(msgspec.json.encode(document) if document else b"")
            return 0 if document else -9

        monkeypatch.setattr(one_framework, "run", run)

    return give


def run(*frameworks, count=1):
    return sessions.run(frameworks, [], count=count, end=None, commit="")


def times(found):
    return [(record.session, record.name, record.seconds) for record in found.records]


def test_a_record_is_the_least_of_a_session_s_rounds(processes_write) -> None:
    processes_write(part(timed("a", 4.0, 9.0), timed("b", 1.0)), part(timed("a", 3.0)))
    assert times(run("torch", count=2)) == [(0, "a", 4.0), (0, "b", 1.0), (1, "a", 3.0)]


def test_a_record_is_of_one_call_however_many_a_run_has(processes_write) -> None:
    """Each session finds out for itself whether one pass is short, and may find otherwise."""
    longer, shorter = timed("a", 16.0, calls_per_run=16), timed("a", 3.6, calls_per_run=4)
    processes_write(part(longer), part(shorter))
    assert [record.seconds for record in run("torch", count=2).records] == [1.0, 0.9]


def test_two_processes_of_one_framework_are_in_one_session(processes_write) -> None:
    processes_write(part(timed("a", 4.0)), part(timed("a", 2.0, mode="compiled, synchronous")))
    assert times(run("jax")) == [(0, "a", 4.0), (0, "a", 2.0)]


def test_a_process_that_crashed_takes_nothing_away(processes_write) -> None:
    processes_write(part(timed("a", 4.0)), None, None, None, part(timed("a", 3.0)), None)
    found = run("jax", count=3)
    assert times(found) == [(0, "a", 4.0), (1, "a", 3.0)]  # the second session timed nothing
    assert (len(found.sessions), len(found.problems)) == (2, 1)


def test_a_file_says_of_each_framework_what_its_processes_do(
    tmp_path, monkeypatch, processes_write
) -> None:
    monkeypatch.setattr(measuring, "FRAMEWORKS", ("numpy", "torch"))
    monkeypatch.setattr(measuring.importlib.util, "find_spec", lambda name: True)
    numpy = part(timed("a", 4.0, framework="numpy"))
    torch = part(timed("a", 1.0, framework="torch"), failed=["b: broke"], versions={"torch": "2"})
    processes_write(numpy, torch, numpy, torch)
    path = tmp_path / "x.json"
    assert measuring.run(path, count=2) == 1
    found = files.read(path)
    assert found.problems == ("b: broke",)
    assert found.share * found.seconds == pytest.approx(4 * 45.0)
    assert found.versions.keys() == {"python", "jax", "torch"}
    assert found.precision == {"numpy": {"tf32": False}, "torch": {"tf32": False}}
    assert found.devices == dict.fromkeys(("numpy", "torch"), Device("cpu", "cpu", None))


def record(session, name="a", seconds=1.0, **more):
    return Record(
        session=session, topic="branching", name=name, size=16, framework="jax", mode="eager",
        seconds=seconds, rounds=5, **more,
    )  # fmt: skip


def test_a_timing_has_what_all_sessions_found() -> None:
    found = [record(0, seconds=4.0, first_call=0.5, moved=8), record(0, "b"), record(2)]
    a, b = timings(found, 3)
    assert (a.sessions, a.rounds, a.first_call, a.moved) == ((4.0, None, 1.0), 10, 0.5, 8)
    assert (b.sessions, b.first_call, b.queued) == ((1.0, None, None), None, None)


def test_first_calls_and_queued_calls_are_medians_of_the_sessions_that_timed_them() -> None:
    found = [record(n, first_call=time, queued=time) for n, time in enumerate((3.0, None, 2.0))]
    (timing,) = timings(found, 3)
    assert (timing.first_call, timing.new_shape, timing.queued) == (2.5, None, 2.5)


def test_nothing_timed_is_still_a_file(tmp_path) -> None:
    assert load(tmp_path).timings == ()
