"""The workload that replaces a row without a copy."""

import pytest

from benchmarks.workloads import updating


@pytest.mark.parametrize(
    ("framework", "pointer"), [("jax", "unsafe_buffer_pointer"), ("torch", "data_ptr")]
)
def test_the_row_is_written_into_the_same_memory(framework, pointer, monkeypatch) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    monkeypatch.setattr(updating, "SIZE", 1024)
    (case,) = updating.cases(framework, quick=False)
    work = case.build()
    run = work.start()
    run()
    before = getattr(work.sample(), pointer)()
    run()
    assert getattr(work.sample(), pointer)() == before
