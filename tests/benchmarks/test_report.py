"""Rows, ratios and tables of results, and the words for where they come from."""

from dataclasses import replace

import pytest
from result_files import CPU, load, timing

from benchmarks.report import page, printed, provenance, rows, tables

BOTH = (
    timing("f", 4e-6, 6e-6, 5e-6, first_call=0.05, new_shape=0.02),
    timing("f", 8e-6, 6e-6, 1e-5, framework="torch", first_call=2.0, new_shape=0.02),
)


def test_rows_gather_what_was_timed_of_one_function(tmp_path) -> None:
    eager = replace(BOTH[1], mode="eager")
    (row,) = rows.rows(load(tmp_path, *BOTH, eager))
    assert (row.topic, row.name, row.size, len(row.times)) == ("branching", "f", 16, 3)
    ratio = row.ratio()
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((0.5, 0.5, 1.0))
    assert row.ratio("eager") is None


def test_no_ratio_is_of_two_kinds_of_device(tmp_path) -> None:
    alike = load(tmp_path, *BOTH, devices={"jax": CPU, "torch": CPU})
    assert provenance.no_ratio(alike) == ""
    tpu = CPU | {"platform": "tpu", "name": "TPU v5 lite"}
    found = load(tmp_path, *BOTH, devices={"jax": tpu, "torch": CPU})
    (row,) = rows.rows(found)
    assert row.ratio() is None
    said = "no ratios, because JAX computed on tpu and PyTorch on cpu"
    assert said in provenance.provenance(found)
    assert said in provenance.machine_table(found)


def test_large_calls_of_a_pair_are_plain_and_ways_to_write_memory_are_not(tmp_path) -> None:
    large = timing(moved=250)
    ways = [timing("scale", mode=mode, moved=8) for mode in ("compiled", "in place")]
    found = rows.plain_rows(rows.rows(load(tmp_path, large, *ways)))
    assert [(row.topic, row.name) for row in found] == [("branching", "f")]


def text_of(results):
    return tables.topic_tables(results, "branching").replace("\N{NO-BREAK SPACE}", " ")


def test_tables_show_every_time_and_the_ratio(tmp_path) -> None:
    steady, first = text_of(load(tmp_path, *BOTH)).split("\n\n")
    assert steady.splitlines()[2] == "| `f` | 16 | 5.00 µs | 8.00 µs | 0.50 (0.50 to 1.00) |"
    assert first.splitlines()[2] == "| `f` | 16 | 50.0 ms | 2.00 s | 20.0 ms | 20.0 ms |"


def test_ways_of_calling_stand_beside_a_copy(tmp_path) -> None:
    donated = timing("scale", 4e-6, mode="compiled, donated", moved=20_000)
    copies = [timing("copy", 4e-9, framework="numpy", mode="copy", moved=8),
              timing("copy", 8e-10, framework="torch", mode="copy", moved=8)]  # fmt: skip
    assert "5.0 GB/s | 50% of a copy |" in text_of(load(tmp_path, donated, *copies))


def test_queued_calls_and_memory_of_a_gpu_are_shown(tmp_path) -> None:
    memory = {"jax": 3 * 2**30, "torch": None}
    found = load(tmp_path, timing(queued=2e-6), peak_memory=memory)
    assert "| function | size | jax.jit, queued |" in text_of(found)
    assert "| `f` | 16 | 2.00 µs |" in text_of(found)
    assert "| peak GPU memory | jax 3.0 GiB |" in provenance.machine_table(found)


HEADS = ["function", "size", "jax.jit first", "how"]
BODY = [["a_long_name", "16", "1.00 s", "compiled"], ["a_long_name", "99", "2.00 s", "-"]]


def test_a_printed_table_cuts_no_name_however_narrow() -> None:
    assert printed.table(HEADS, BODY, 80) == [
        "                   jax.jit",
        "function     size    first       how",
        "a_long_name    16   1.00 s  compiled",
        "a_long_name    99   2.00 s         -",
    ]
    assert printed.table(HEADS, BODY, 20) == [
        "        jax.jit",
        "  size    first",
        "a_long_name",
        "    16   1.00 s",
        "    how: compiled",
        "    99   2.00 s",
    ]


def test_the_page_shows_this_machine_beside_the_published_one(tmp_path) -> None:
    yours = load(tmp_path, timing(), timing("f", 2.0, framework="torch"), problems=["<a> broke"])
    theirs = load(tmp_path, *BOTH, date="2026-05-06")
    html = page.page(yours, theirs)
    assert "jax.jit took less in 1 and torch.compile in 0; one session" in html
    assert "One session decides nothing" in html
    assert "<span>0.50</span><span>0.50 (0.50 to 1.00)</span>" in html
    assert 'aria-label="published, f, 16: JAX took 2.0 times less (0.50 (0.50 to 1.00))"' in html
    assert '<p class="problem">&lt;a&gt; broke</p>' in html
    assert "2026-05-06" in html
    assert "published" not in page.page(yours, None).split("</style>")[1]
    assert "No function was timed in both" in page.page(load(tmp_path, timing()), None)
