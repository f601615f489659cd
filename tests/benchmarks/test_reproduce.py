"""Published ratios beside this machine's own: what is judged, how, and what is said."""

import dataclasses
import json
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from result_files import CPU, MACHINE, load, timing, write

from benchmarks import __main__ as command
from benchmarks import measuring, reproduce
from benchmarks.report import files
from benchmarks.report.rows import Ratio

DEVICES = {"numpy": CPU, "jax": CPU, "torch": CPU}
GPU = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}


def ratio(value, name="f"):
    """Both frameworks' timings of one function, JAX's ``value`` times PyTorch's."""
    return timing(name, value), timing(name, 1.0, framework="torch")


def other(tmp_path, *timings, **more):
    return files.read(write(tmp_path / "other.json", *timings, **{"devices": DEVICES} | more))


@pytest.mark.parametrize(
    ("published", "yours", "said"),
    [
        (Ratio(0.5, 0.5, 0.5), Ratio(0.5, 0.5, 0.5), "agrees"),
        (Ratio(0.5, 0.4, 0.6), Ratio(0.65, 0.55, 0.7), "agrees"),
        (Ratio(0.5, 0.4, 0.6), Ratio(0.35, 0.31, 0.45), "agrees"),
        (Ratio(0.5, 0.4, 0.6), Ratio(0.8, 0.7, 0.9), "differs"),
        (Ratio(0.5, 0.4, 0.6), Ratio(0.3, 0.2, 0.35), "differs"),
        (Ratio(0.5, 0.5, 0.5), Ratio(0.51, 0.51, 0.51), "agrees"),  # within the clock's own 3 %
        (Ratio(0.5, 0.5, 0.5), Ratio(0.52, 0.52, 0.52), "differs"),
        (Ratio(0.5, 0.3, 0.5), Ratio(0.5, 0.4, 0.7), "too noisy to judge"),
        (Ratio(0.5, 0.2, 0.6), Ratio(1.0, 0.7, 1.9), "differs"),  # wide, and still apart
    ],
)
def test_ranges_that_overlap_and_are_not_too_wide_agree(published, yours, said) -> None:
    assert reproduce.verdict(published, yours) == said


def test_every_ratio_that_both_have_is_there(tmp_path) -> None:
    eager = [dataclasses.replace(t, mode="eager") for t in ratio(3.0)]
    theirs = load(tmp_path, *ratio(0.5), *eager, *ratio(2.0, "only published"), devices=DEVICES)
    yours = other(tmp_path, *ratio(0.5), *eager[:1], *ratio(2.0, "only yours"))
    (line,) = reproduce.judge(theirs, yours)
    assert line.cells() == ("branching.f", "16", "compiled", "0.50", "0.50", "agrees")
    found = reproduce.judge(theirs, other(tmp_path, *ratio(0.6), *eager))
    assert [(line.mode, line.verdict) for line in found] == [
        ("compiled", "differs"),
        ("eager", "agrees"),
    ]


@pytest.mark.parametrize(
    "more",
    [{"machine": MACHINE | {"cores": 4}}, {"machine": MACHINE | {"cpu": "AMD EPYC 7B13"}},
     {"devices": DEVICES | {"jax": GPU, "torch": GPU}}],
    ids=["cores", "cpu", "device"],
)  # fmt: skip
def test_ratios_of_other_classes_are_shown_and_not_judged(tmp_path, more) -> None:
    theirs = load(tmp_path, *ratio(0.5), devices=DEVICES)
    (line,) = reproduce.judge(theirs, other(tmp_path, *ratio(0.5), **more))
    assert (str(line.yours), line.verdict) == ("0.50", "other machine class")


@pytest.mark.parametrize(
    ("cpu", "family"),
    [
        ("AMD EPYC", "AMD EPYC"),
        ("AMD EPYC 7B13 64-Core Processor", "AMD EPYC"),
        ("AMD Ryzen 9 5950X 16-Core Processor", "AMD Ryzen 9"),
        ("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "Intel Xeon Platinum"),
        ("11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz", "Intel Core i7"),
        ("Apple M2 Pro", "Apple M2 Pro"),
        ("AMD EPYC (family 25, model 17)", "AMD EPYC (family 25, model 17)"),
    ],
)
def test_a_family_is_a_name_without_its_model(cpu, family) -> None:
    assert reproduce.cpu_family(cpu) == family


def test_the_nearest_is_of_the_class_before_it_is_new(tmp_path) -> None:
    yours = load(tmp_path, devices=DEVICES)
    alike = replace(yours, date="2025-01-01")
    newer = replace(yours, machine=replace(yours.machine, cores=64), date="2027-01-01")
    oldest = replace(newer, date="2024-01-01")
    assert reproduce.nearest([oldest, alike, newer], yours) is alike
    assert reproduce.nearest([oldest, newer], yours) is newer


def test_the_report_says_what_must_be_known(tmp_path) -> None:
    old = {"python": "3.11", "jax": "0.9"}
    timings = *ratio(0.5), *ratio(2.0, "g"), *ratio(2.0, "h")
    theirs = load(tmp_path, *timings, versions=old, devices=DEVICES)
    new = {"versions": {"python": "3.11", "jax": "1.0"}, "problems": ["a gap"]}
    yours = other(tmp_path, *ratio(0.5), *ratio(3.0, "g"), **new)
    found = reproduce.judge(theirs, yours)
    text = reproduce.report(reproduce.summary(theirs, yours, found), found)
    assert (
        "2 of the 3 published ratios of JAX's time to PyTorch's were measured again; agrees: 1, "
        "differs: 1, too noisy to judge: 0, other machine class: 0. To measure the others, "
        "run `nox -s bench`." in text
    )
    assert "A machine class is the same processor family" in text
    assert "Yours: A processor, 2 cores, jax on cpu, torch on cpu." in text
    assert "Published with other versions than yours: jax 0.9, now 1.0." in text
    assert "Problem in your session: a gap" in text
    assert "| branching.g | 16 | compiled | 2.00 | 3.00 | differs |" in text


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A session that takes no time and finds what it is given."""
    monkeypatch.setattr(command, "FOLDER", tmp_path / "out")
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: True)

    def measured(*timings, **more):
        def run(output, quick, select, count, first_calls):
            assert (quick, count, first_calls) == (True, reproduce.SESSIONS, False)
            write(output, *timings, **{"devices": DEVICES} | more)

        monkeypatch.setattr(measuring, "run", run)

    return measured


@pytest.mark.parametrize(
    ("more", "code"),
    [({}, 0), ({"problems": ["a gap"]}, 1), ({"partial": True, "left_out": ["g"]}, 130),
     ({"partial": True, "left_out": ["g"], "problems": ["a crash"]}, 1)],
    ids=["whole", "problem", "stopped", "crashed"],
)  # fmt: skip
def test_the_command_shows_a_table_and_writes_a_report(
    tmp_path, capsys, measured, more, code
) -> None:
    measured(*ratio(0.5), **more)
    theirs = write(tmp_path / "theirs.json", *ratio(0.5), devices=DEVICES)
    output = tmp_path / "report.md"
    arguments = ["reproduce", "--against", str(theirs), "--output", str(output)]
    assert command.main(arguments) == code
    shown = capsys.readouterr().out
    assert f"Report: {output}" in shown
    assert "agrees" in shown
    assert "| branching.f | 16 | compiled | 0.50 | 0.50 | agrees |" in (
        output.read_text(encoding="utf-8")
    )


def test_a_published_file_that_cannot_be_read_is_named(
    tmp_path, capsys, monkeypatch, measured
) -> None:
    measured(*ratio(0.5))
    monkeypatch.setattr(command, "PUBLISHED", tmp_path)
    write(tmp_path / "theirs.json", *ratio(0.5), devices=DEVICES)
    (tmp_path / "cut.json").write_text("{")
    output = tmp_path / "report.md"
    assert command.main(["reproduce", "--output", str(output)]) == 0
    for text in (capsys.readouterr().out, output.read_text(encoding="utf-8")):
        assert f"A published file was left out: {tmp_path / 'cut.json'}: not JSON" in text


def error_of(arguments, capsys):
    assert command.main(["reproduce", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_what_cannot_be_reproduced_is_an_error_before_anything_is_timed(
    tmp_path, capsys, monkeypatch, measured
) -> None:
    monkeypatch.setattr(measuring, "run", lambda *arguments, **more: pytest.fail("it was timed"))
    (tmp_path / "cut.json").write_text(json.dumps({})[:1])
    assert "cut off" in error_of(["--against", str(tmp_path / "cut.json")], capsys)
    assert "cannot be read" in error_of(["--against", str(tmp_path / "none.json")], capsys)
    monkeypatch.setattr(command, "PUBLISHED", tmp_path / "empty")
    assert "no results are published" in error_of([], capsys)
    absent = SimpleNamespace(find_spec=lambda name: None if name == "torch" else True)
    monkeypatch.setattr(command.importlib, "util", absent)
    assert "torch is not installed" in error_of([], capsys)
