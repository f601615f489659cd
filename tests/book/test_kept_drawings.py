"""A drawing of results is drawn again where what it shows, or what draws it, has changed."""

import subprocess
import sys
from pathlib import Path

import pytest
from extensions import kept_drawings


@pytest.fixture
def draw():
    """Draws two arguments, and counts how often."""

    def draw(name: str, numbers: list[float]) -> str:
        draw.count += 1
        return f"{name}: {numbers} µs"

    draw.count = 0
    return draw


def test_what_is_kept_is_what_was_drawn_and_it_is_drawn_once(tmp_path, draw) -> None:
    shown = [kept_drawings.kept(tmp_path / "kept", draw, "a", [1.5, 2.0]) for _ in range(2)]
    assert shown == 2 * ["a: [1.5, 2.0] µs"]
    assert draw.count == 1


@pytest.mark.parametrize(("name", "numbers"), [("b", [1.5, 2.0]), ("a", [1.5, 2.25])])
def test_other_arguments_are_another_drawing(tmp_path, draw, name, numbers) -> None:
    kept_drawings.kept(tmp_path, draw, "a", [1.5, 2.0])
    assert kept_drawings.kept(tmp_path, draw, name, numbers) == f"{name}: {numbers} µs"


def test_it_is_drawn_again_by_other_code(tmp_path, draw, monkeypatch) -> None:
    for text in ("x = 1", "x = 2"):
        (tmp_path / "module.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(kept_drawings, "EXTENSIONS", tmp_path)
        kept_drawings._state.cache_clear()
        kept_drawings.kept(tmp_path / "kept", draw, "a", [1.5])
    kept_drawings._state.cache_clear()
    assert draw.count == 2


def test_nothing_is_kept_of_a_drawing_that_fails(tmp_path, draw) -> None:
    with pytest.raises(TypeError):
        kept_drawings.kept(tmp_path, draw, "too few")
    assert list(tmp_path.iterdir()) == []


def test_matplotlib_is_not_imported_before_something_is_drawn() -> None:
    code = """
import importlib, runpy, sys
for name in runpy.run_path("conf.py")["extensions"]:
    importlib.import_module(name)
sys.exit("matplotlib" in sys.modules)
"""
    book = Path(kept_drawings.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], cwd=book, check=True)
