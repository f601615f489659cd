"""Functions whose source cannot be read are explained in part, in both frameworks."""

import linecache

import pytest

from jaxvstorch import explain


def test_a_function_without_source_is_explained_in_part(framework, x) -> None:
    space: dict = {}
    exec("def made(x):\n    return x * x * 2", space)
    explanation = explain(space["made"], x)
    assert explanation.sources == ()
    assert explanation.programs[0].operations == {"A": 2}
    assert "no source" in explanation.missing[0]


def test_a_text_of_the_same_name_is_not_taken_for_the_source(framework, x, monkeypatch) -> None:
    space: dict = {}
    exec("\n\ndef made(x):\n    return x * 2", space)
    monkeypatch.setitem(linecache.cache, "<string>", (3, None, ["a = 1\n"], "<string>"))
    assert explain(space["made"], x, framework=framework).sources == ()


def test_lines_of_a_file_that_has_changed_since_are_not_shown(framework, x, tmp_path) -> None:
    file = tmp_path / "changing.py"
    file.write_text("def made(x):\n    return x * 2\n")
    space: dict = {}
    exec(compile(file.read_text(), file, "exec"), space)
    file.write_text("# A line above.\ndef made(x):\n    return x * 2\n")
    explanation = explain(space["made"], x)
    assert explanation.sources == ()
    assert explanation.programs[0].operations == {"A": 1}
    assert "not the one that was imported; import it again" in explanation.missing[0]


def test_a_builtin_function(framework, x) -> None:
    explanation = explain(abs, x)
    assert explanation.sources == ()
    assert explanation.programs[0].operations == {"A": 1}
    assert "no source" in explanation.missing[0]
    assert explanation.marks() == []
    with pytest.raises(LookupError, match="no source is called 'abs'; there is none"):
        explanation.marks("abs")
