"""What is seen of a session while it runs, in a terminal and elsewhere."""

import io

import pytest
from rich.console import Console

from benchmarks import progress
from benchmarks.progress import Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    return now


def test_done_and_left_follow_the_weights_of_the_parts(tmp_path, clock) -> None:
    watched = Progress([1, 3], Console(file=io.StringIO()))
    told = tmp_path / "told"
    watched.begin("numpy")
    watched.look(told)  # not written yet
    assert (watched.done, watched.left()) == (0, "")
    told.write_text("planned 2\ncase a\ncase b\ncase c that is not wholly wri")
    watched.look(told)
    assert watched.done == 0.5 / 4  # the second one has begun
    told.unlink()
    watched.begin("torch")
    told.write_text("planned 3\ncase a\ncase b\ncase c\n")
    clock[0] = 540.0
    watched.look(told)
    assert watched.done == (1 + 3 * 2 / 3) / 4
    assert watched.left() == "about 3 min left"
    clock[0] = 240.0
    assert watched.left() == "about a minute left"


def test_a_terminal_shows_lines_that_fit(tmp_path, clock) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=80, color_system=None)
    name = "vectorization.expensive_where_batch-10000000-torch-compiled, synchronous"
    (tmp_path / "told").write_text(f"planned 2\ncase {name}\n")
    with Progress([1], console) as watched:
        watched.begin("session 1 of 2, torch")
        watched.look(tmp_path / "told")
    assert "session 1 of 2, torch: 1 of 2\n" in shown.getvalue()
    assert name in shown.getvalue()


def test_elsewhere_a_line_is_printed_now_and_then(tmp_path, clock, capsys) -> None:
    (tmp_path / "told").write_text("planned 9\ncase a\n")
    with Progress([1], Console(file=io.StringIO())) as watched:
        watched.begin("torch")
        for clock[0] in (1.0, 2.0, 40.0, 41.0):
            watched.look(tmp_path / "told")
    assert capsys.readouterr().err == "torch: 1 of 9 · a\n"
