"""The directives that show results: figure, table, machine, and what is missing."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from result_files import CPU, check, load, timing, write

from benchmarks.report.entries import Timing
from benchmarks.report.rows import rows

pytest.importorskip("sphinx_design", reason="the book's packages are not installed")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def build(tmp_path):
    """Builds a page from Markdown, with a folder of results, and returns its HTML."""
    results, source = tmp_path / "results", tmp_path / "source"
    results.mkdir()
    source.mkdir()

    def build(text):
        (source / "index.md").write_text(f"# Page\n\n{text}\n")
        (source / "conf.py").write_text(
            f"import sys\nsys.path.insert(0, {str(ROOT / 'book')!r})\n"
            "extensions = ['myst_parser', 'sphinx_design', 'extensions.results']\n"
            "myst_enable_extensions = ['colon_fence']\n"
            f"results_folder = {str(results)!r}\nresults_pins = {{'jax': '1'}}\n"
        )
        command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", str(source)]
        done = subprocess.run([*command, str(tmp_path / "out")], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "out" / "index.html").read_text()

    build.results = results
    return build


def both(name="f", *times, **more):
    return timing(name, *times or (1.0, 1.2), **more), timing(name, 2.0, 2.0, framework="torch")


TOPIC = "```{results} branching\n```"
PARTS = "\n\n".join(
    f"```{{results-of}} {part}\n```" for part in ("clock", "machines", "yardsticks")
)
NO_GPU = "No result from a GPU is published yet"


def test_one_machine(build) -> None:
    write(
        build.results / "one.json", *both(), COPIES[0], clock=[check(over_torch_timer=1.004)],
        commit="c0ffee", versions={"python": "3.11", "jax": "1"},
        devices={"jax": CPU, "torch": CPU},
    )  # fmt: skip
    page = build(
        f"{TOPIC}\n\n```{{results}} loops\n```\n\n{PARTS}\n\n```{{results-of}} founding\n```"
    )
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    figure = page.index(
        'role="img" aria-label="Later calls: jax.jit&#x27;s time over torch.compile&#x27;s, '
        "with the range of the sessions. f, 16: 0.55 (0.50 to 0.60)"
    )
    assert (
        figure < page.index("0.55 (0.50 to 0.60)</p>") < page.index("A processor, 2 cores, 8 GiB")
    )
    assert "currentColor" in page
    assert "#010203" not in page
    assert "Measured with other versions" not in text
    assert "No results of loops are committed yet" in text
    assert "Not timed: select_if, activate_list (jax.jit refuses it)." in text
    assert "expensive_cond_batch has no first call and no new shape in the tables" in text
    assert "1.004" in text
    assert "A processor, 2 cores, 8 GiB, Linux x86_64" in text
    assert "c0ffee" in text
    assert "No committed results hold this. nox -s bench" in text  # the founding timings
    assert "Not measured on this machine: the smallest call, products in each dtype." in text
    assert "A copy: bytes read and written. PyTorch: 4 GB/s" in page
    assert "A product of matrices" not in page
    assert NO_GPU in text


def test_several_machines_and_what_is_wrong_with_them(build) -> None:
    gap = {"partial": True, "left_out": ["loops.scan-16-jax-eager"]}
    write(build.results / "one.json", *both(), versions={"jax": "0.9"}, **gap)
    write(build.results / "two.json", *both("f", 4.0, 4.0))
    gpu = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}
    write(build.results / "gpu.json", devices={"jax": gpu, "torch": gpu})
    (build.results / "cut.json").write_text('{"schema": ')
    page = build(f"{TOPIC}\n\n{TOPIC}\n\n```{{results-of}} machines\n```")
    assert page.count("sd-tab-label") == 2 * 2 + 3
    assert "A processor, 2 cores (one)" in page
    assert "A processor, 2 cores (two)" in page
    assert re.search(r"sd-tab-label[^>]*>\s*NVIDIA H200", page)
    assert NO_GPU not in page
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "Measured with other versions: jax 0.9, now 1." in page
    assert "partial, without loops.scan-16-jax-eager" in page
    assert re.search(r"A results file was left out: .*cut\.json: not JSON, or cut off", page)


COPIES = [
    Timing("memory", "copy", 8, "torch", "copy", (1.0, 1.0), 5, moved=4 * 10**9),
    Timing("memory", "scale", 8, "jax", "compiled, donated", (2.0, 2.0), 5, moved=4 * 10**9),
]
YARDSTICKS = [
    Timing("yardsticks", "dispatch", 1, "jax", "compiled", (5e-6,), 5),
    Timing("yardsticks", "matmul float64", 8, "torch", "eager", (1.0,), 5, "float64",
           operations=2 * 10**9),
]  # fmt: skip


@pytest.fixture
def figures(monkeypatch):
    """The modules that draw, importable as the book imports them."""
    monkeypatch.syspath_prepend(ROOT / "book")
    from extensions import results_figure, results_yardsticks

    return SimpleNamespace(topic=results_figure.figures, machine=results_yardsticks.figure)


def drawings(page):
    """Each drawing's text alternative; all of them must be sound and without a fixed size."""
    parts = [
        ElementTree.fromstring(part) for part in re.findall(r"<figure.*?</figure>", page, re.S)
    ]
    drawn = [part.find("{http://www.w3.org/2000/svg}svg") for part in parts]
    assert all("width" not in svg.attrib and "viewBox" in svg.attrib for svg in drawn)
    assert all(svg.get("role") == "img" for svg in drawn)
    return [svg.get("aria-label").replace("\N{NO-BREAK SPACE}", " ") for svg in drawn]


def test_yardsticks_are_drawn_in_their_units(figures) -> None:
    said = drawings(figures.machine("name", [*COPIES, *YARDSTICKS]))
    assert said == [
        "The smallest call: one number plus one. jax.jit: 5 µs",
        "A copy: bytes read and written. PyTorch: 4 GB/s",
        "A product of matrices. float64, PyTorch: 2 GFLOP/s",
    ]


def test_first_calls_and_shares_of_the_limit_are_drawn(tmp_path, figures) -> None:
    first = load(tmp_path, timing(first_call=0.05, new_shape=0.02))
    assert drawings(figures.topic("name", rows(first), first)) == [
        "The first call, and the first with a new shape. f, 16, jax.jit: 50.0 ms, new shape 20.0 ms"
    ]
    copies = load(tmp_path, *COPIES)
    assert drawings(figures.topic("name", rows(copies), copies)) == [
        "Rate, as a share of what the machine can do. scale, 8, jax.jit, donated: 50% of a copy"
    ]


def test_three_sizes_make_a_curve_and_two_do_not(tmp_path, figures) -> None:
    sizes = [replace(timing("f", n / 10), size=n) for n in (1, 10, 100)]
    curve = load(tmp_path, *sizes)
    assert drawings(figures.topic("name", rows(curve), curve)) == [
        "f: time of a later call by size. jax.jit: 100 ms at 1, 1.00 s at 10, 10.0 s at 100"
    ]
    assert figures.topic("name", rows(curve)[:2], curve).strip() == ""
