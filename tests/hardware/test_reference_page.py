"""What the page *Compiled for an H100 and a TPU* says of the programs that were compiled."""

import pytest

from jaxvstorch._hardware.recorded import recorded

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
    entry = recorded().programs["loops.recurrence_sequential"]
    assert (entry.inductor.kernels, entry.inductor.library_calls) == (1, 0)
    assert entry.xla[device].loops == 1


def test_xla_makes_one_kernel_of_an_associative_scan_for_an_h100_and_inductor_nine() -> None:
    entry = recorded().programs["loops.recurrence_associative"]
    assert (entry.xla["h100"].kernels, entry.xla["h100"].loops) == (1, 0)
    assert entry.inductor.kernels + entry.inductor.library_calls == 9


def test_scores_are_temporaries_on_an_h100_and_not_on_a_tpu() -> None:
    assert xla("vectorization.attention_heads", "h100").temporaries >= SCORES
    assert xla("vectorization.attention_heads", "v5e").temporaries < SCORES / 100


@pytest.mark.parametrize("device", ["h100", "v5e"])
@pytest.mark.parametrize("function", ["attention", "cross_entropy"])
def test_in_chunks_it_needs_less_than_half_of_the_temporaries(function, device) -> None:
    whole, chunked = (
        xla(f"memory.{function}_{way}, and gradient", device) for way in ("full", "chunked")
    )
    assert whole.temporaries >= 8192 * 8192 * 4
    assert chunked.temporaries < whole.temporaries / 2


def test_the_tpu_s_compiler_holds_a_histogram_to_be_slow() -> None:
    histogram = xla("updates.cumulative_histogram", "v5e")
    written = xla("updates.ring_write", "v5e")
    assert histogram.loops == written.loops == 0
    assert histogram.estimated_seconds > 1000 * written.estimated_seconds


def test_xla_counts_no_bytes_for_a_gpu_that_is_not_there() -> None:
    analyses = [entry.xla["h100"] for entry in recorded().programs.values() if entry.xla]
    assert {each.bytes_accessed for each in analyses} == {None}


STEP = "parallelism.train_step"
ONE_MATRIX = 1024 * 4096 * 4  # bytes


def sent(way: str, device: str) -> dict[str, int]:
    """The bytes that one device puts into the collectives of each kind."""
    return {each.kind: each.bytes for each in xla(f"{STEP}, {way}", device).collectives}


@pytest.mark.parametrize("device", ["h100", "v5e"])
@pytest.mark.parametrize(
    ("way", "bytes"),
    [
        ("data parallel", 2 * ONE_MATRIX + 4),
        ("tensor parallel", 1024 * 1024 * 4),
        ("both", 1024 * 1024 * 4 // 2 + 2 * ONE_MATRIX // 4 + 4),
    ],
)
def test_gradients_or_activations_are_summed_and_nothing_else_is_sent(way, bytes, device) -> None:
    assert sent(way, device) == {"all-reduce": bytes}


def test_the_two_gradients_travel_in_one_all_reduce_on_a_tpu_and_in_two_on_h100s() -> None:
    counts = [
        xla(f"{STEP}, data parallel", device).collectives[0].count for device in ("h100", "v5e")
    ]
    assert counts == [2, 1]


@pytest.mark.parametrize("device", ["h100", "v5e"])
def test_what_is_sharded_by_rows_is_gathered_and_its_gradient_scattered(device) -> None:
    sizes = sent("all sharded by rows", device)
    assert set(sizes) == {"all-gather", "all-to-all", "all-reduce", "reduce-scatter"}
    assert (sizes["all-reduce"], sizes["reduce-scatter"]) == (4, ONE_MATRIX)


def test_a_tpu_gathers_half_the_bytes() -> None:
    gathered = [sent("all sharded by rows", device)["all-gather"] for device in ("h100", "v5e")]
    assert gathered[0] == 2 * gathered[1]
