"""The committed file of what was compiled: its form, and that it is of today's functions."""

import datetime
import json

import pytest

from jaxvstorch._hardware.analysis import Analysis
from jaxvstorch._hardware.counting import Collective
from jaxvstorch._hardware.inductor_code import Generated
from jaxvstorch._hardware.program import Program, programs
from jaxvstorch._hardware.recorded import FILE, Entry, Recorded, dump, load, recorded
from tools.compile_hardware import devices
from tools.compile_hardware.digest import digest

STALE = "compile anew, by `nox -s hardware`, and commit jaxvstorch/_hardware/compiled.json"


def test_what_is_listed_is_what_was_compiled() -> None:
    assert sorted(recorded().programs) == sorted(map(str, programs())), STALE


@pytest.mark.parametrize("program", programs(), ids=str)
def test_a_program_is_as_it_was_when_it_was_compiled(program) -> None:
    now = {framework: digest(program, framework) for framework in program.halves}
    assert recorded().programs[str(program)].digests == now, STALE


@pytest.mark.parametrize("program", programs(), ids=str)
def test_each_half_was_compiled_for_each_device_that_its_compiler_knows(program) -> None:
    entry = recorded().programs[str(program)]
    assert list(entry.xla) == (list(devices.TITLES) if "jax" in program.halves else [])
    assert (entry.inductor is not None) == ("torch" in program.halves)
    assert all(a.arguments and a.outputs and a.kernels for a in entry.xla.values())
    assert entry.inductor is None or (entry.inductor.kernels and entry.inductor.bytes_accessed)


def test_the_estimate_is_of_the_tpu_alone_and_no_program_takes_less_than_no_time() -> None:
    analyses = [entry.xla for entry in recorded().programs.values() if entry.xla]
    assert {xla["h100"].estimated_seconds for xla in analyses} == {None}
    assert any(xla["v5e"].estimated_seconds for xla in analyses)
    assert all((xla["v5e"].estimated_seconds or 0) >= 0 for xla in analyses)


@pytest.mark.parametrize("program", [p for p in programs() if p.devices > 1], ids=str)
def test_what_several_devices_send_is_counted(program) -> None:
    analyses = recorded().programs[str(program)].xla
    assert all(kind.count and kind.bytes for each in analyses.values() for kind in each.collectives)


def test_it_says_when_and_by_which_versions() -> None:
    record = recorded()
    assert datetime.date.fromisoformat(record.date) <= datetime.date(2100, 1, 1)
    assert {"jax", "jax-cuda12-plugin", "libtpu", "torch", "triton"} <= set(record.versions)


def test_it_is_written_as_it_is_read() -> None:
    assert dump(recorded()) == FILE.read_text(encoding="utf-8")
    sent = Analysis(8, 4, 4, 2, 1, collectives=(Collective("all-reduce", 2, 64),), flops=3.0)
    entry = Entry({"jax": "abc"}, {"h100": sent}, Generated(1, 2, 3))
    record = Recorded("2026-01-01", {"jax": "1"}, {"a": entry, "b": Entry({}, {})})
    assert load(dump(record)) == record
    assert sent.memory == 10


@pytest.mark.parametrize(
    ("key", "value"), [("temporary", 1), ("collectives", [{"kind": "all-reduce", "size": 1}])]
)
def test_a_field_that_it_does_not_have_is_refused(key, value) -> None:
    wrong = json.loads(FILE.read_text(encoding="utf-8"))
    next(iter(wrong["programs"].values()))["xla"]["h100"][key] = value
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        load(json.dumps(wrong))


def test_a_program_without_a_pair_is_an_error() -> None:
    with pytest.raises(LookupError, match=r"there is no pair updates\.nothing"):
        Program("updates.nothing", 4).registered()


def test_what_torch_compile_has_no_word_for_is_of_jax_alone() -> None:
    assert Program("updates.set_rows", 4).halves == ("jax", "torch")
    assert Program("updates.set_rows", 4, "donated", donated=(0,)).halves == ("jax",)
    assert Program("updates.set_rows", 4, mesh=(("data", 2), ("model", 4))).devices == 8
