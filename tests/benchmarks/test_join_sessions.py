"""One results file of several that were measured at different times."""

import pytest
from result_files import MACHINE, session, timing, write

from benchmarks import __main__ as command
from benchmarks.report import files, rows


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
    assert row.ratio() == rows.Ratio(1.5, 0.5, 2.0)
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
    [({"machine": MACHINE | {"cores": 4}}, "machine, cores is 2 and 4"),
     ({"shard": "1/2"}, "merge the shards first"),
     ({"sessions": [session(1)]}, "a session is there twice")],
    ids=["machine", "shard", "twice"],
)  # fmt: skip
def test_files_that_are_not_sessions_of_one_machine_are_refused(
    tmp_path, capsys, more, said
) -> None:
    one = write(tmp_path / "1.json", timing(), sessions=[session(1)])
    two = write(tmp_path / "2.json", timing(), **{"sessions": [session(2)]} | more)
    assert joined(tmp_path, one, two)[0] == 2
    assert said in capsys.readouterr().err
