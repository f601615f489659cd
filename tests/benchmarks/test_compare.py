"""What moved between two sessions, and how the command answers bad input."""

import io

import pytest
from result_files import MACHINE, load, session, timing, write
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks import compare, measuring
from benchmarks.report import files, printed


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ((1.0, 1.2), (1.1, 1.4), False),
        ((1.0, 1.2), (1.3, 1.4), True),
        ((1.0, 1.2), (0.7, 0.9), True),
        ((1.0,), (1.02,), False),  # within the clock's own 3 %
        ((1.0,), (1.04,), True),
    ],
)
def test_what_lies_outside_of_the_sessions_is_a_move(tmp_path, before, after, moved) -> None:
    old, new = load(tmp_path, timing("f", *before)), load(tmp_path, timing("f", *after))
    assert len(compare.moves(old, new)) == moved


def shown(show, *arguments):
    console = Console(file=io.StringIO(), width=200)
    show(*arguments, console)
    return console.file.getvalue()


def test_what_only_one_session_timed_is_named(tmp_path) -> None:
    old, new = load(tmp_path, timing("f")), load(tmp_path, timing("g"))
    text = shown(compare.show, old, new)
    assert "only in the old: branching.f at 16, jax compiled" in text
    assert "only in the new: branching.g at 16, jax compiled" in text
    assert "Nothing changed" in text


def test_names_are_shown_as_they_are(tmp_path, capsys) -> None:
    """Rich would take ``[bold]`` for a style, and end with an error at ``[/nope]``."""
    name = "[bold]f[/nope] :smile:"
    wrong = {"partial": True, "left_out": [name]}
    paths = [
        write(
            tmp_path / f"{minimum}.json",
            timing(name, minimum),
            timing(name + "2", 1.0 + n),
            **wrong,
        )
        for n, minimum in enumerate((1.0, 2.0))
    ]
    assert command.main(["compare", *map(str, paths)]) == 0
    shown = capsys.readouterr().out
    assert f"the old file is not a complete run: partial, without {name}" in shown
    assert f"branching.{name} " in shown


@pytest.mark.parametrize("name", ["[red].json", "a[/nope].json", ":smile:.json"])
def test_the_path_of_results_is_shown_as_it_is(tmp_path, monkeypatch, capsys, name) -> None:
    folder = tmp_path / "[bold]" / "[" / name
    monkeypatch.setattr(measuring, "run", lambda output, *more: write(output))
    assert command.main(["--output", str(folder)]) == 0
    assert f"Results: {folder}\n" in capsys.readouterr().out


def test_two_sessions_of_one_second_write_two_files(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr(measuring, "run", lambda output, *more: write(output))
    assert [command.main([]), command.main([])] == [0, 0]
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_another_machine_is_named(tmp_path) -> None:
    old, new = load(tmp_path), load(tmp_path, machine=MACHINE | {"cores": 4})
    assert "machine differ" in shown(compare.show, old, new)


def test_the_report_shows_ratio_share_and_problems(tmp_path) -> None:
    both = timing(), timing("f", 2.0, framework="torch")
    sessions = [session(number) | {"others": others} for number, others in enumerate((0.1, 1.9))]
    loaded = load(tmp_path, *both, problems=["[a] failed"], sessions=sessions)
    text = shown(printed.show, loaded)
    assert text.count("other programs kept") == 1
    assert "kept 1.9 of 2 cores busy in the session that ended 2026-01-03" in text
    assert "0.50" in text
    assert "50% of 9 s went into compiling and timing." in text
    assert "problem: [a] failed" in text


def test_compare_takes_the_newest_file_of_the_folder(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    old = write(tmp_path / "old.json", timing())
    write(tmp_path / "new.json", timing("f", 2.0))
    assert command.main(["compare", str(old)]) == 0
    assert "2.00" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", '{"schema": ', "{}"], ids=["empty", "cut off", "other"])
def test_a_bad_file_is_named_without_a_traceback(tmp_path, capsys, text) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert command.main(["compare", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


def test_nothing_to_compare_with_is_an_error(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    old = write(tmp_path / "old.json", timing())
    assert command.main(["compare", str(old)]) == 2
    assert "run `python -m benchmarks` first" in capsys.readouterr().err


def test_a_session_writes_a_file_that_can_be_read(tmp_path, monkeypatch) -> None:
    pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")
    monkeypatch.setattr(measuring, "FRAMEWORKS", ("numpy",))
    output = tmp_path / "out" / "session.json"
    assert measuring.run(output, quick=True, select="select_cond-16-numpy") == 0
    found = files.read(output)
    assert [t.name for t in found.timings] == ["select_cond"]
    assert 0 < found.share < 1


@pytest.mark.parametrize(
    ("end", "message"),
    [(5, "-k 'a b' matches no case of a quick session: they have names such as tracing."),
     (4, "-k 'a b' cannot be read: write it like -k 'one or another'")],
    ids=["nothing", "syntax"],
)  # fmt: skip
@pytest.mark.parametrize("arguments", [["--quick"], ["reproduce"]], ids=["bench", "reproduce"])
def test_a_selection_of_nothing_writes_over_nothing(
    tmp_path, monkeypatch, capsys, processes, arguments, end, message
) -> None:
    processes.ends["numpy"] = end  # pytest's exit codes
    monkeypatch.setattr(command.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(command, "PUBLISHED", tmp_path)
    write(tmp_path / "published.json", timing())
    output = tmp_path / "kept"
    output.write_text("as it was")
    assert command.main([*arguments, "-k", "a b", "--output", str(output)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(message)
    assert output.read_text() == "as it was"
