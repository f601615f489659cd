"""A report as text and as HTML: all of it, escaped, and in lines that a terminal holds."""

import re
from dataclasses import replace

import pytest

from jaxvstorch._diff.difference import Counted, Diff, Difference, Output, Place
from jaxvstorch._diff.recording import SourceLine


@pytest.fixture
def report(tmp_path) -> Diff:
    """One difference with a long source, many callers and a long cause."""
    file = tmp_path / "net.py"
    file.write_text(f"y = f(x) if x < 3 else '<b>' + {' + '.join(['some_number'] * 9)}\n" * 9)
    stack = tuple(SourceLine(str(file), number) for number in range(1, 8))
    places = (
        Place("PyTorch", stack, "blocks.0", ("add", "mul"), "float64[2] 1, 2"),
        Place("JAX", (), "", ("mul",), "float64[2] 1, 3", then=SourceLine(str(file), 9)),
    )
    difference = Difference(
        places, f"JAX leaves out: {', '.join(['a <weight>'] * 20)}", 0.5, tuple("abcdef")
    )
    return Diff(
        (difference,),
        (Output("", 0.5, 4e6, (3,), (3, 1)), Output("[1]", float("inf"), 1.0, (2,), (3,))),
        (Counted("PyTorch", 3, 4), Counted("JAX", 2, 4)),
        "float64",
        ("a <note>",),
    )


def test_text_fits_a_terminal_and_lists_end(report) -> None:
    lines = str(report).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[:3] == [
        "different in 1 place",
        "  output: 0.5 apart, 4e+06 roundings of its dtype, shape (3,) and (3, 1)",
        "  output [1]: shape (2,) and (3,)",
    ]
    text = " ".join(str(report).split())
    called = ", ".join(f"net.py:{number}" for number in (6, 5, 4, 3))
    assert f"in blocks.0; called from {called} and 2 more add → mul: float64[2] 1, 2" in text
    assert "JAX (no line) goes on at net.py:9 y = f(x)" in text
    assert "again 6 more: a, b, c, d, …" in text


def test_html_has_all_of_the_text_escaped(report) -> None:
    html = re.sub("<style>.*?</style>", "", report._repr_html_(), flags=re.DOTALL)
    for text in ("&lt;b&gt;", "a &lt;weight&gt;", "a &lt;note&gt;", "in blocks.0; called from",
                 "0.5 of an output", "6 more: a, b, c, d", "goes on at"):  # fmt: skip
        assert text in html
    assert html.count('data-framework="torch"') == html.count('data-framework="jax"') == 1
    assert not set(re.findall(r"<(\w+)", html)) & {"b>", "note", "weight"}


def test_of_many_outputs_the_farthest_is_shown(report) -> None:
    gaps = (0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.2)
    outputs = tuple(Output(f"[{n}]", gap, 1.0, (2,), (2,)) for n, gap in enumerate(gaps))
    lines = str(replace(report, outputs=outputs)).splitlines()
    assert lines[5:7] == [
        "  output [5]: 0.3 apart, 1 roundings of its dtype",
        "  and 2 more outputs, which are nearer to each other",
    ]


def test_a_number_that_is_not_finite_is_null_in_data(report) -> None:
    data = report.to_dict()
    assert [output["gap"] for output in data["outputs"]] == [0.5, None]
    first, second = data["differences"][0]["places"]
    assert "then" not in first
    assert second["then"]["line"] == 9
