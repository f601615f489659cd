"""One results file of several that were measured at different times."""

import io

import pytest
from result_files import CPU, MACHINE, SETTINGS, session, timing, write
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks import compare
from benchmarks.report import files, rows
from benchmarks.report.provenance import provenance

GPU = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}


def joined(tmp_path, *paths):
    output = tmp_path / "joined.json"
    code = command.main(["sessions", *map(str, paths), "--output", str(output)])
    return code, files.read(output) if output.exists() else None


def test_a_ratio_is_the_median_of_the_sessions_with_their_range(tmp_path) -> None:
    paths = [
        write(tmp_path / f"{day}.json", timing("f", time), timing("f", 2.0, framework="torch"),
              date=f"2026-01-0{day}", sessions=[session(day)], commit=f"c{day}")
        for day, time in ((2, 1.0), (1, 4.0), (3, 3.0))
    ]  # fmt: skip
    code, found = joined(tmp_path, *paths)
    assert code == 0
    assert found.timings[0].sessions == (4.0, 1.0, 3.0)  # in the order of their dates
    (row,) = rows.rows(found)
    assert row.ratio() == rows.Ratio(1.5, 0.5, 2.0, sessions=3)
    assert (len(found.sessions), found.commit, found.seconds) == (3, "c3", 27.0)


def test_what_one_file_lacks_the_others_have(tmp_path) -> None:
    first = timing("f", 1.0, first_call=0.5)
    one = write(tmp_path / "1.json", first, sessions=[session(1)])
    gap = {"partial": True, "left_out": ["f"], "sessions": [session(2)]}
    two = write(tmp_path / "2.json", timing("g", 2.0), **gap)
    _, found = joined(tmp_path, one, two)
    f, g = found.timings
    assert (f.sessions, g.sessions, f.first_call) == ((1.0, None), (None, 2.0), 0.5)
    assert not found.partial


@pytest.mark.parametrize(
    ("chosen", "together"),
    [(("", "g"), ""), (("f", "g"), "f or g"), (("g", "g"), "g")],
    ids=["one of all", "two parts", "one part"],
)
def test_a_session_may_be_of_some_functions(tmp_path, chosen, together) -> None:
    one, two = (
        write(tmp_path / f"{day}.json", timing(name, 1.0), select=select, sessions=[session(day)])
        for day, name, select in zip((1, 2), "fg", chosen, strict=True)
    )
    code, found = joined(tmp_path, one, two)
    assert (code, found.select) == (0, together)
    assert [timing.sessions for timing in found.timings] == [(1.0, None), (None, 1.0)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"sessions": [session(1)]}, "a session occurs twice"),
        ({"machine": MACHINE | {"cores": 4}}, "machine, cores is 2 and 4"),
        ({"machine": MACHINE | {"driver": "580.1"}}, "machine, driver is None and '580.1'"),
        ({"machine": MACHINE | {"memory_bytes": 2**34}}, "machine, memory_bytes"),
        ({"versions": {"python": "3.12"}}, "versions, python is '3.11' and '3.12'"),
        ({"threads": {"jax": 4}}, "threads, jax is 2 and 4"),
        ({"settings": SETTINGS | {"dtype": "float64"}}, "settings is "),
        ({"quick": False}, "quick is True and False"),
        ({"image": "cpu@sha256:1"}, "image is '' and 'cpu@sha256:1'"),
        ({"precision": {"jax": {"x64": True}}}, "precision, jax is "),
        ({"devices": {"jax": GPU}}, "devices, jax is "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_that_are_not_sessions_of_one_machine_are_refused(
    tmp_path, capsys, more, said
) -> None:
    known = {"devices": {"jax": CPU}, "precision": {"jax": {"x64": False}}}
    one = write(tmp_path / "1.json", timing(), sessions=[session(1)], **known)
    two = write(tmp_path / "2.json", timing(), **{"sessions": [session(2)]} | known | more)
    assert joined(tmp_path, one, two) == (2, None)
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_machine_reports_a_few_pages_more_or_less(tmp_path) -> None:
    other = MACHINE | {"memory_bytes": MACHINE["memory_bytes"] + 4096}
    one = write(tmp_path / "1.json", timing(), sessions=[session(1)])
    two = write(tmp_path / "2.json", timing(), sessions=[session(2)], machine=other)
    assert joined(tmp_path, one, two)[0] == 0


def test_the_most_memory_is_kept(tmp_path) -> None:
    paths = [
        write(tmp_path / f"{n}.json", timing(), sessions=[session(n)],
              peak_memory={"jax": size, "torch": None})
        for n, size in ((1, 5), (2, 7))
    ]  # fmt: skip
    _, found = joined(tmp_path, *paths)
    assert found.peak_memory == {"jax": 7, "torch": None}


def test_what_is_not_whole_is_named_where_it_is_shown(tmp_path) -> None:
    left_out = {"partial": True, "left_out": ["a", "b", "c", "d"], "select": "f"}
    whole = files.read(write(tmp_path / "whole.json", timing()))
    part = files.read(write(tmp_path / "part.json", timing(), **left_out))
    gap = "partial, without a, b, c and 1 more; only what -k 'f' matches"
    assert provenance(part).endswith(f"; {gap}")
    console = Console(file=io.StringIO(), width=200)
    compare.show(whole, part, console)
    assert f"the new file is not a complete run: {gap}" in console.file.getvalue()
    assert "the old file" not in console.file.getvalue()
