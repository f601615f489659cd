"""The directives that show results: figure, table, machine, and what is missing."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from result_files import CPU, load, timing, write

from benchmarks.report.timings import Timing

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
            "extensions = ['myst_parser', 'sphinx_design', 'extensions.cost']\n"
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
PARTS = "\n\n".join(f"```{{results-of}} {part}\n```" for part in ("machines", "yardsticks"))
NO_GPU = "No result from a GPU is published yet"


def test_one_session_decides_nothing(build) -> None:
    sizes = [replace(t, size=size, sessions=t.sessions) for size in (16, 99) for t in both()]
    once = [replace(t, size=size, name="g", sessions=(t.median, None))
            for size in (16, 99) for t in both("g", 1.0)]  # fmt: skip
    write(build.results / "one.json", *sizes, *once)
    page = build("```{results-of} overview\n```")
    assert "Functions counted: 1, each timed in 2 sessions." in page
    assert "Timed in one session, which decides nothing: 1." in page
    assert "Pairs that no session has timed yet: " in page
    assert 'aria-label="took less: JAX 1, PyTorch 0, neither 0"' in page


def test_one_machine(build) -> None:
    write(
        build.results / "one.json", *both(), COPIES[0],
        commit="c0ffee", versions={"python": "3.11", "jax": "1"},
        devices={"jax": CPU, "torch": CPU},
    )  # fmt: skip
    page = build(
        f"{TOPIC}\n\n```{{results}} loops\n```\n\n{PARTS}\n\n```{{results-of}} founding\n```"
    )
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    # A row of the table knows its columns, for a page that is too narrow for them.
    assert '<td data-column="jit / compile">0.55 (0.50 to 0.60)</td>' in page
    assert page.index("0.55") < page.index("8 GiB")
    assert "Measured with other versions" not in text
    assert "No results of loops are committed yet" in text
    assert "Not timed: select_if, activate_list (jax.jit refuses it)." in text
    assert "expensive_cond_batch has no first call and no new shape in the tables" in text
    assert "A processor, 2 cores, 8 GiB, Linux x86_64" in text
    assert "c0ffee" in text
    assert "No committed results hold this. nox -s bench" in text  # the founding timings
    assert "Not measured on this machine: the smallest call, products in each dtype." in text
    assert 'aria-label="A copy: bytes read and written. PyTorch: 4 GB/s"' in page
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
    Timing("yardsticks", "dispatch", 1, "jax", "compiled", (5e-6, 5e-6), 5),
    Timing("yardsticks", "matmul float64", 8, "torch", "eager", (1.0, 1.0), 5, "float64",
           operations=2 * 10**9),
]  # fmt: skip


@pytest.fixture
def bars(monkeypatch):
    """The module that draws bars, importable as the book imports it."""
    monkeypatch.syspath_prepend(ROOT / "book")
    from extensions import results_bars

    return results_bars


def said(drawn):
    """The text alternatives."""
    return re.findall(r'role="img" aria-label="([^"]*)"', drawn.replace("\N{NO-BREAK SPACE}", " "))


def test_yardsticks_are_drawn_in_their_units(tmp_path, bars) -> None:
    drawn = bars.yardsticks(load(tmp_path, *COPIES, *YARDSTICKS))
    assert said(drawn) == [
        "The smallest call: one number plus one. jax.jit: 5.00 µs",
        "A copy: bytes read and written. PyTorch: 4 GB/s",
        "A product of matrices. float64, PyTorch: 2 GFLOP/s",
    ]


def test_shares_of_the_limit_are_drawn_for_the_largest_size(tmp_path, bars) -> None:
    numpy = replace(COPIES[1], framework="numpy", mode="out=")  # the memory benchmark has it too
    results = load(tmp_path, replace(COPIES[1], size=4, moved=10**9), *COPIES, numpy)
    (drawn,) = said(bars.shares(results.timings, results))
    assert drawn == (
        "scale 8: JAX, compiled, donated: 50% of a copy; scale 8: NumPy, out=: 50% of a copy"
    )
    assert bars.shares([], results) == ""


def test_medians_of_first_calls_need_both_frameworks(tmp_path, bars) -> None:
    more = {"first_call": 0.05, "new_shape": 0.02}
    alone = load(tmp_path, timing("f", **more))
    assert bars.first_calls(alone) == ""
    two = [timing("f", **more), timing("f", framework="torch", first_call=2.0, new_shape=1.0)]
    assert said(bars.first_calls(load(tmp_path, *two))) == [
        "A first call. jax.jit: 50.0 ms; torch.compile: 2.00 s",
        "A new shape. jax.jit: 20.0 ms; torch.compile: 1.00 s",
    ]


def test_what_was_timed_in_another_way_is_not_called_left_out(build) -> None:
    refused = Timing("branching", "select_if", 8, "jax", "compiled, cut in two", (1.0, 1.0), 5)
    write(build.results / "one.json", *both(), refused)
    (sentence,) = re.findall(r"Not timed: .*?</p>", build(TOPIC), re.DOTALL)
    assert "activate_list" in sentence
    assert "select_if" not in sentence


def test_the_overview_counts_who_took_less_in_every_session(build) -> None:
    small, large = (1.0, 1.2), (3.0, 1.0)
    sizes = [(timing("f", *small), 16), (timing("f", *large), 64)]
    sizes += [(timing("f", 2.0, 2.0, framework="torch"), size) for size in (16, 64)]
    write(build.results / "one.json", *(replace(found, size=size) for found, size in sizes),
          versions={"jax": "1", "torch": "2"})  # fmt: skip
    page = build("```{results-of} overview\n```\n\n(results-branching)=\n## Branching\n\n" + TOPIC)
    assert "took less: JAX 1, PyTorch 0, neither 0" in page
    assert "took less: JAX 0, PyTorch 0, neither 1" in page
    assert 'href="results-1.html#results-branching"' in page
    assert "f, 16: JAX took 1.8 times less (0.55 (0.50 to 0.60))" in page
    assert "; jax 1, torch 2; " in page
    assert "2 sessions" in page


COST = "```{{cost}} What it shows.\n# A panel\none: {}\n```"


def test_a_cost_is_a_bar_for_each_framework(build) -> None:
    eager = [timing("f", 1.1, 1.3, framework="jax", mode="eager"),
             timing("f", 0.5, 1.9, framework="torch", mode="eager")]  # fmt: skip
    write(build.results / "one.json", *both(), *eager, versions={"jax": "1", "torch": "2"})
    page = build(COST.format("branching.f 16"))
    assert "Without the compiler PyTorch took less for <code>f</code>." in page
    assert "Without the compiler JAX" not in page
    assert said(page) == ["A panel. JAX one: 1.10 s; PyTorch one: 2.00 s"]
    assert "What it shows. A processor, 2 cores" in page
    assert 'href="reference/results.html"' in page


def test_a_number_is_printed_in_a_sentence(build) -> None:
    write(build.results / "one.json", *both(), versions={"jax": "1", "torch": "2"})
    page = build("It took {measured}`time branching.f 16 jax`.")
    assert "It took 1.00 s to 1.20 s." in page.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (COST.format("branching.g 16"), "'branching.g 16 jax compiled' was not timed; the nearest"),
        (COST.format("branching.f large"), "`label: function size [mode]` is expected"),
        ("{measured}`small things`", "there is no number 'small things'; there are all"),
    ],
)
def test_a_number_that_is_not_there_is_a_warning(build, text, complaint) -> None:
    write(build.results / "one.json", *both(), versions={"jax": "1", "torch": "2"})
    with pytest.raises(AssertionError, match=re.escape(complaint)):
        build(text)
