"""The plots: SVG that is well-formed, and says in words what it shows."""

from xml.etree import ElementTree

import pytest

from jaxvstorch.examples.porting import curves

SVG = "{http://www.w3.org/2000/svg}"
LINES = {"PyTorch": [2.0, 1.0, 0.02, 0.5], "JAX < 1": [2.0, 0.0, 0.5]}
both = pytest.mark.parametrize("scale", ["log", "linear"])


def test_a_plot_is_svg_with_its_words() -> None:
    root = ElementTree.fromstring(curves.plot("loss & more", LINES, "They part.", every=25))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "loss & more. They part."
    lines = root.findall(f"{SVG}polyline")
    assert [line.get("stroke-dasharray") for line in lines] == ["none", "6 4"]
    assert {line.findtext(f"{SVG}title") for line in lines} == set(LINES)
    assert {text.text for text in root.findall(f"{SVG}text")} >= {"loss & more", "100", "0.01"}


@both
def test_all_points_lie_inside(scale) -> None:
    root = ElementTree.fromstring(curves.plot("loss", LINES, "", scale=scale))
    for line in root.findall(f"{SVG}polyline"):
        for point in (line.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= curves.WIDTH
            assert 0 <= y <= curves.HEIGHT


@both
@pytest.mark.parametrize("value", [1e-6, 1.0, 1e5])
def test_one_value_is_enough(value, scale) -> None:
    root = ElementTree.fromstring(curves.plot("", {"a": [min(value, 9)]}, "", scale=scale))
    assert root.find(f"{SVG}polyline") is not None


def test_each_framework_has_its_colour_and_others_have_none() -> None:
    svg = curves.plot("", {"before": [1.0], "JAX": [1.0]}, "")
    assert "--jaxvstorch-jax" in svg
    assert "--jaxvstorch-torch" not in svg
    assert "--jaxvstorch-torch" in curves.legend("PyTorch", "JAX")


def test_a_figure_is_html_for_a_notebook() -> None:
    figure = curves.figure([curves.legend("a", "b & c"), curves.plot("one", LINES, "")])
    html = figure._repr_html_()
    assert html.count("<svg") == 1
    assert "b &amp; c" in html
    assert ElementTree.fromstring(html) is not None
