"""What the page *Compiled for an H100 and a TPU* says of the programs that were compiled."""

import pytest

from jaxvstorch.elsewhere.recorded import recorded

SCORES = 2 * 1024 * 1024 * 4  # bytes, of two heads


def xla(program: str, device: str):
    return recorded().programs[program].xla[device]


@pytest.mark.parametrize("device", ["h100", "v5e"])
@pytest.mark.parametrize("function", ["set_rows", "ring_write", "fill_rows"])
def test_donation_holds_for_both_devices(function, device) -> None:
    plain = xla(f"updates.{function}", device)
    donated = xla(f"updates.{function}, donated", device)
    assert (plain.aliased, donated.aliased) == (0, donated.outputs)
    assert donated.memory < 0.6 * plain.memory


@pytest.mark.parametrize("device", ["h100", "v5e"])
def test_xla_keeps_a_loop_that_inductor_unrolls_into_one_kernel(device) -> None:
    found = recorded().programs["loops.recurrence_sequential"]
    assert (found.inductor.kernels, found.inductor.library_calls) == (1, 0)
    assert found.xla[device].loops == 1


def test_xla_makes_one_kernel_of_an_associative_scan_for_an_h100_and_inductor_nine() -> None:
    found = recorded().programs["loops.recurrence_associative"]
    assert (found.xla["h100"].kernels, found.xla["h100"].loops) == (1, 0)
    assert found.inductor.kernels + found.inductor.library_calls == 9


def test_scores_are_temporaries_on_an_h100_and_not_on_a_tpu() -> None:
    assert xla("vectorization.attention_heads", "h100").temporaries >= SCORES
    assert xla("vectorization.attention_heads", "v5e").temporaries < SCORES / 100


def test_the_tpu_s_compiler_holds_a_histogram_to_be_slow() -> None:
    histogram = xla("updates.cumulative_histogram", "v5e")
    written = xla("updates.ring_write", "v5e")
    assert histogram.loops == written.loops == 0
    assert histogram.estimated_seconds > 1000 * written.estimated_seconds


def test_xla_counts_no_bytes_for_a_gpu_that_is_not_there() -> None:
    found = [entry.xla["h100"] for entry in recorded().programs.values() if entry.xla]
    assert {each.bytes_accessed for each in found} == {None}
