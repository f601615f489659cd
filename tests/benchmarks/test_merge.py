"""One results file from the files of one process per framework."""

import pytest
from process_files import entry, part
from result_files import MACHINE, SETTINGS, session

from benchmarks import merge
from benchmarks.report import files
from benchmarks.report.entries import Device


def merged(**parts):
    return merge.merge(
        parts, date="2026-01-02", quick=True, sessions=[session()], select="",
        partial=False, left_out=[], seconds=100.0, commit="c0ffee", image="", machine=MACHINE,
        versions={"python": "3.11"}, settings=SETTINGS, problems=["before"],
    )  # fmt: skip


def test_each_case_is_a_timing_and_the_file_can_be_read(tmp_path) -> None:
    path = tmp_path / "merged.json"
    files.write_document(merged(jax=part(entry("jax")), torch=part(entry("torch"))), path)
    found = files.read(path)
    assert [timing.framework for timing in found.timings] == ["jax", "torch"]
    assert found.timings[0].sessions == (1e-3,)
    assert found.timings[0].rounds == 7
    assert found.share == pytest.approx(0.9)
    assert found.versions == {"python": "3.11", "jax": "1"}
    assert found.precision == {"jax": {"tf32": False}, "torch": {"tf32": False}}
    assert found.devices == dict.fromkeys(("jax", "torch"), Device("cpu", "cpu", None))


def test_what_failed_is_named() -> None:
    assert merged(jax=part(failed=["a case: an error"]))["problems"] == [
        "before",
        "a case: an error",
    ]


def test_nothing_timed_is_still_a_document() -> None:
    document = merged()
    assert (document["timings"], document["share"]) == ([], 0)
