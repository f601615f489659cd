"""Shards: what is in each, and one results file of them all."""

import io
import json
import re

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from result_files import CPU, MACHINE, SETTINGS, check, document
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks import compare, join, shards
from benchmarks.report import files
from benchmarks.report.entries import Timing
from benchmarks.report.provenance import provenance
from benchmarks.selection import FRAMEWORKS
from benchmarks.shards import Shard

KNOWN = {"devices": {"jax": CPU}, "precision": {"jax": {"x64": False}}}
GPU = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}


@pytest.mark.parametrize("quick", [False, True], ids=["full", "quick"])
@pytest.mark.parametrize("count", [1, 2, 5, 60])
def test_every_case_is_in_one_shard_and_a_ratio_is_never_divided(quick, count) -> None:
    where = {}
    for framework in FRAMEWORKS:
        parts = [shards.cases(framework, quick, Shard(n + 1, count)) for n in range(count)]
        names = [str(case) for part in parts for case in part]
        assert sorted(names) == sorted(map(str, shards.cases(framework, quick)))
        for number, part in enumerate(parts):
            for case in part:
                assert where.setdefault((case.topic, case.name), number) == number


def test_shards_are_balanced() -> None:
    loads = [sum(len(shards.cases(f, shard=Shard(n, 5))) for f in FRAMEWORKS) for n in range(1, 6)]
    assert max(loads) - min(loads) <= 0.1 * max(loads)


@pytest.mark.parametrize(
    "text", ["0/5", "6/5", "x", "2", "1/2/3", "", "1/0", "²/5", "1/99999999999"]
)
def test_what_is_no_shard_is_refused_in_one_line(text, capsys) -> None:
    assert command.main(["--shard", text]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"there is no shard {text!r}" in error


def timings_of(shard=None):
    """A timing for each case of the quick set; the copy's has bytes that it moved."""
    return [
        Timing(c.topic, c.name, c.size, f, c.mode, (2.0,), 5, moved=8 * (c.mode == "copy"))
        for f in FRAMEWORKS
        for c in shards.cases(f, quick=True, shard=shard)
    ]


def write(folder, number, count=2, **more):
    shard = Shard(number, count)
    text = json.dumps(document(*timings_of(shard), **{"shard": str(shard)} | KNOWN | more))
    path = folder / f"{number}.json"
    path.write_text(text)
    return path


@pytest.fixture
def whole(tmp_path):
    """What a single run would have written."""
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(document(*timings_of(), **KNOWN)))
    return files.read(path)


def test_shards_make_what_a_single_run_makes_but_for_times(tmp_path, whole) -> None:
    output = tmp_path / "merged.json"
    paths = [str(write(tmp_path, n)) for n in (2, 1)]
    assert command.main(["merge", *paths, "--output", str(output)]) == 0
    found = files.read(output)
    assert found.timings == whole.timings
    assert found.sessions[0].seconds == 18.0
    assert replace(found, seconds=9.0, share=0.5, sessions=whole.sessions) == whole
    assert (found.seconds, found.share) == (18.0, pytest.approx(0.5))


def test_the_most_memory_and_every_clock_check_are_kept(tmp_path) -> None:
    paths = [
        write(tmp_path, n, peak_memory={"jax": size, "torch": None}, clock=[check(harness=n)])
        for n, size in ((1, 5), (2, 7))
    ]
    found = join.join(paths)
    assert found.peak_memory == {"jax": 7, "torch": None}
    assert [check.harness for check in found.clock] == [1, 2]


def test_a_missing_shard_is_named_and_can_be_accepted(tmp_path) -> None:
    paths = [write(tmp_path, n, count=4) for n in (4, 2)]
    with pytest.raises(files.ResultsError, match=r"missing: shard 1/4, 3/4"):
        join.join(paths)
    found = join.join(paths, partial=True)
    assert found.partial
    assert found.left_out == ("shard 1/4", "shard 3/4")


def test_shards_of_a_selection_of_nothing_are_refused(tmp_path) -> None:
    paths = [write(tmp_path, n, select="typo", timings=[]) for n in (1, 2)]
    with pytest.raises(files.ResultsError, match=r"-k 'typo' matched no case in any"):
        join.join(paths)


def test_a_shard_that_was_stopped_is_refused_or_marks_the_whole(tmp_path) -> None:
    stopped = write(tmp_path, 2, partial=True, left_out=["a case"])
    paths = [write(tmp_path, 1), stopped]
    with pytest.raises(files.ResultsError, match=r"2\.json is partial"):
        join.join(paths)
    assert join.join(paths, partial=True).left_out == ("a case",)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"shard": "1/2"}, r"1\.json and .*2\.json are both shard 1/2"),
        ({"shard": "2/3"}, r"1\.json is shard 1/2, and .*2\.json is shard 2/3"),
        ({"shard": ""}, r"2\.json is no shard"),
        ({"shard": "2/1"}, r"2\.json is no shard of a set: there is no shard '2/1'"),
        ({"shard": "1/99999999999"}, r"2\.json: .* at `\$\.shard`"),
        ({"machine": MACHINE | {"cores": 4}}, "machine, cores is 2 and 4"),
        ({"machine": MACHINE | {"cpu": "Another"}}, "machine, cpu is 'A processor' and 'Another'"),
        ({"machine": MACHINE | {"memory_bytes": 2**34}}, "machine, memory_bytes"),
        ({"versions": {"python": "3.12"}}, "versions, python is '3.11' and '3.12'"),
        ({"threads": {"jax": 4}}, "threads, jax is 2 and 4"),
        ({"settings": SETTINGS | {"dtype": "float64"}}, "settings is .*float32.* and .*float64"),
        ({"quick": False}, "quick is True and False"),
        ({"select": "loops"}, "select is '' and 'loops'"),
        ({"commit": "c0ffee"}, "commit is '' and 'c0ffee'"),
        ({"image": "cpu@sha256:1"}, "image is '' and 'cpu@sha256:1'"),
        ({"machine": MACHINE | {"driver": "580.1"}}, "machine, driver is None and '580.1'"),
        ({"precision": {"jax": {"x64": True}}}, "precision, jax is .*False.* and .*True"),
        ({"devices": {"jax": GPU}}, "devices, jax is .*'cpu'.* and .*NVIDIA H200"),
        ({"timings": to_builtins(timings_of())}, "is in two shards"),
    ],
    ids=[
        "twice",
        "count",
        "none",
        "no such",
        "too many",
        "cores",
        "cpu",
        "memory",
        "versions",
        "threads",
        "settings",
        "quick",
        "select",
        "commit",
        "image",
        "driver",
        "precision",
        "device",
        "timings",
    ],
)
def test_files_of_different_runs_are_never_merged(tmp_path, capsys, more, message) -> None:
    paths = [str(write(tmp_path, 1)), str(write(tmp_path, 2, **more))]
    output = tmp_path / "merged.json"
    assert command.main(["merge", *paths, "--output", str(output)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert re.search(message, error)
    assert not output.exists()


def test_machines_that_differ_by_a_few_pages_are_of_one_kind(tmp_path) -> None:
    other = MACHINE | {"memory_bytes": MACHINE["memory_bytes"] + 4096}
    assert join.join([write(tmp_path, 1), write(tmp_path, 2, machine=other)]).shard == ""


def test_a_shard_that_has_nothing_of_a_framework_fits(tmp_path) -> None:
    other = write(tmp_path, 2, versions={"python": "3.11", "jax": "1"}, threads={"torch": 2})
    found = join.join([write(tmp_path, 1), other])
    assert found.versions == {"python": "3.11", "jax": "1"}
    assert found.threads == {"jax": 2, "torch": 2}


def test_what_the_first_shard_does_not_know_is_compared_too(tmp_path) -> None:
    versions = [{"python": "3.11"} | more for more in ({}, {"jax": "1"}, {"jax": "2"})]
    paths = [write(tmp_path, n, 3, versions=v) for n, v in enumerate(versions, start=1)]
    with pytest.raises(files.ResultsError, match=r"2\.json and .*3\.json .* jax is '1' and '2'"):
        join.join(paths)


def test_what_is_not_whole_is_named_where_it_is_shown(tmp_path, whole) -> None:
    part = files.read(write(tmp_path, 1, partial=True, left_out=["a", "b", "c", "d"]))
    gap = "partial, without a, b, c and 1 more; only shard 1/2"
    assert provenance(part).endswith(f"; {gap}")
    console = Console(file=io.StringIO(), width=200)
    compare.show(whole, part, console)
    assert f"the new file is not a whole run: {gap}" in console.file.getvalue()
    assert "the old file" not in console.file.getvalue()
