"""The directives that show results: figure, table, machine, and what is missing."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_compare import timing, write

pytest.importorskip("sphinx_design", reason="the book's packages are not installed")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def build(tmp_path):
    """Builds a page from Markdown, with a folder of results, and returns its HTML."""
    results, source = tmp_path / "results", tmp_path / "source"
    results.mkdir()
    source.mkdir()

    def build(text, pins=(("jax", "1"),)):
        (source / "index.md").write_text(f"# Page\n\n{text}\n")
        (source / "conf.py").write_text(
            f"import sys\nsys.path.insert(0, {str(ROOT / 'book')!r})\n"
            "extensions = ['myst_parser', 'sphinx_design', 'extensions.results']\n"
            "myst_enable_extensions = ['colon_fence']\n"
            f"results_folder = {str(results)!r}\nresults_pins = {dict(pins)!r}\n"
        )
        command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", str(source)]
        done = subprocess.run([*command, str(tmp_path / "out")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "out" / "index.html").read_text()

    build.results = results
    return build


def both(name="f", **more):
    return timing(name, **more), timing(name, framework="torch", median=2.0)


TOPIC = "```{results} branching\n```"


def test_a_topic_without_results_says_so(build) -> None:
    write(build.results / "one.json", *both())
    assert "No results of" in build("```{results} loops\n```")


def test_a_topic_has_a_figure_with_words_then_a_table_and_its_machine(build) -> None:
    write(build.results / "one.json", *both(), versions={"python": "3.11", "jax": "1"})
    page = build(TOPIC)
    figure = page.index(
        'role="img" aria-label="jax.jit&#x27;s time over torch.compile&#x27;s. f at 16'
    )
    assert figure < page.index("0.50 ± 0.06</p>") < page.index("A processor, 2 cores")
    assert "currentColor" in page
    assert "#010203" not in page
    assert "Measured with other versions" not in page


def test_results_of_other_versions_are_marked(build) -> None:
    write(build.results / "one.json", *both(), versions={"python": "3.11", "jax": "0.9"})
    assert "Measured with other versions: jax 0.9, now 1." in build(TOPIC)


def test_results_that_are_not_whole_are_marked(build) -> None:
    write(build.results / "one.json", *both(), partial=True, left_out=["loops.scan-16-jax-eager"])
    assert "partial, without loops.scan-16-jax-eager" in build(TOPIC)


def test_a_bad_file_is_named_and_the_others_are_shown(build) -> None:
    write(build.results / "one.json", *both())
    (build.results / "cut.json").write_text('{"schema": ')
    page = build(TOPIC)
    assert re.search(r"A results file was left out: .*cut\.json: not JSON, or cut off", page)
    assert "0.50 ± 0.06" in page


def test_each_machine_has_a_tab_and_no_name_occurs_twice(build) -> None:
    write(build.results / "one.json", *both())
    write(build.results / "two.json", *both(median=4.0))
    page = build(TOPIC + "\n\n" + TOPIC)
    assert page.count("sd-tab-label") == 4
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_clock_and_machines_have_parts_of_their_own(build) -> None:
    clock = {
        "framework": "jax", "function": "sin+cos of 9", "harness": 4e-6, "timeit": 4e-6,
        "torch_timer": 4e-6, "over_timeit": 1.0, "over_torch_timer": 1.004, "passed": True,
    }  # fmt: skip
    write(build.results / "one.json", clock=[clock])
    page = build("```{results-of} clock\n```\n\n```{results-of} machines\n```")
    assert "1.004" in page
    assert "A processor" in page
    assert "No results are committed yet" in build("```{results-of} founding\n```")


def test_three_sizes_make_a_curve_that_is_sound_svg(monkeypatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "book")
    from extensions.results_figure import figure

    from jaxvstorch.timings import Row

    rows = [Row("t", "f", n, {("jax", "eager"): timing(median=n / 10)}) for n in (1, 10, 100)]
    svg = ElementTree.fromstring(figure("name", rows))
    assert svg.get("aria-label").startswith("Time against size of f")
    assert "width" not in svg.attrib
    assert "viewBox" in svg.attrib
