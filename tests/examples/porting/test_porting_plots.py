"""The plots: SVG that is well-formed, and says in words what it shows."""

from xml.etree import ElementTree

import pytest

from jaxvstorch.examples.porting import curves

SVG = "{http://www.w3.org/2000/svg}"
LINES = {"PyTorch": [(1, 2.0), (100, 0.02)], "JAX < 1": [(1, 2.0), (50, 0.0), (100, 0.5)]}


def test_a_plot_is_svg_with_its_words() -> None:
    root = ElementTree.fromstring(curves.plot("loss & more", LINES, "They part."))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "loss & more. They part."
    lines = root.findall(f"{SVG}polyline")
    assert {line.findtext(f"{SVG}title") for line in lines} == set(LINES)
    assert {text.text for text in root.findall(f"{SVG}text")} >= {"loss & more", "100", "0.01"}


def test_all_points_lie_inside() -> None:
    root = ElementTree.fromstring(curves.plot("loss", LINES, "", width=300, height=200))
    for line in root.findall(f"{SVG}polyline"):
        for point in (line.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 300
            assert 0 <= y <= 200


@pytest.mark.parametrize("value", [1e-6, 1.0, 1e5])
def test_one_value_is_enough(value) -> None:
    assert ElementTree.fromstring(curves.plot("", {"a": [(1, value)]}, "")) is not None


def test_a_figure_is_html_for_a_notebook() -> None:
    figure = curves.figure([curves.legend("a", "b & c"), curves.plot("one", LINES, "")])
    html = figure._repr_html_()
    assert html.count("<svg") == 1
    assert "b &amp; c" in html
    assert ElementTree.fromstring(html) is not None
