"""PyTorch compiles for the second size in general, as far as its guards hold."""

import logging

import pytest
from shape_programs import EIGHT, traces, traces_of_lengths

from jaxvstorch import ledger


@pytest.fixture(autouse=True)
def quiet(torch):
    """Dynamo also logs that a limit was reached."""
    torch._logging.set_logs(dynamo=logging.ERROR)
    yield
    torch._logging.set_logs()


def test_the_second_length_compiles_for_any_length(torch, in_torch) -> None:
    assert traces_of_lengths(torch, in_torch.center, EIGHT) == [1, 1] + [0] * 6


def test_dynamic_true_compiles_for_any_length_at_once(torch, in_torch) -> None:
    assert traces_of_lengths(torch, in_torch.center, EIGHT, dynamic=True) == [1] + [0] * 7


def test_dynamic_false_compiles_for_each_length_up_to_the_limit(torch, in_torch) -> None:
    lengths = range(16, 27)
    assert torch._dynamo.config.recompile_limit == 8
    found = traces_of_lengths(torch, in_torch.center, lengths, dynamic=False)
    assert found == [1] * 8 + [0] * 3


def test_past_the_limit_it_runs_uncompiled_and_with_fullgraph_raises(torch, in_torch) -> None:
    calls = [(torch.ones(n),) for n in range(16, 26)]
    book = ledger(torch.compile(in_torch.center, backend="eager", dynamic=False), calls)
    assert [call.error for call in book.calls] == [None] * 10
    assert "ran uncompiled: recompile_limit (8) reached" in book.calls[8].why
    torch.compiler.reset()
    whole = torch.compile(in_torch.center, backend="eager", dynamic=False, fullgraph=True)
    for (x,) in calls[:8]:
        whole(x)
    with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="fullgraph=True"):
        whole(calls[8][0])


def test_automatic_dynamic_shapes_can_be_turned_off(torch, in_torch) -> None:
    with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
        assert traces_of_lengths(torch, in_torch.center, (4, 5, 6)) == [1, 1, 1]


def test_the_sizes_zero_and_one_have_programs_of_their_own(torch, in_torch) -> None:
    def double(x):
        return 2 * x

    assert traces_of_lengths(torch, double, (4, 5, 0, 1, 6, 0, 1)) == [1, 1, 1, 1, 0, 0, 0]
    torch.compiler.reset()
    assert traces_of_lengths(torch, double, (4, 0, 1, 5), dynamic=True) == [1, 1, 1, 0]
    torch.compiler.reset()
    # From 4 to 1 no size becomes open: the third length compiles once more.
    assert traces_of_lengths(torch, double, (4, 1, 5, 6)) == [1, 1, 1, 0]


def test_only_the_size_that_changed_becomes_open(torch) -> None:
    shapes = ((4, 3), (5, 3), (6, 3), (6, 7), (6, 8))
    tensors = [torch.ones(shape) for shape in shapes]
    assert traces(torch, lambda x: 2 * x, tensors) == [1, 1, 0, 1, 0]


def test_an_array_of_another_rank_compiles_again(torch) -> None:
    tensors = [torch.ones(shape) for shape in ((4, 3), (5,), (5, 3, 2))]
    assert traces(torch, lambda x: 2 * x, tensors, dynamic=True) == [1, 1, 1]


def test_an_if_on_a_size_is_a_guard_and_each_side_a_program(torch, in_torch) -> None:
    lengths = (4, 5, 6, 20, 21, 7, 22)
    assert traces_of_lengths(torch, in_torch.scale_by_length, lengths) == [1, 1, 0, 1, 0, 0, 0]
    torch.compiler.reset()
    calls = [(torch.ones(n),) for n in lengths]
    book = ledger(torch.compile(in_torch.scale_by_length, backend="eager"), calls)
    assert "needs 2 <= x.shape[0] <= 8" in book.calls[3].why


def test_two_sizes_that_must_agree_are_a_guard(torch) -> None:
    pairs = [(4, 4), (5, 5), (6, 6), (7, 1), (8, 8), (9, 1)]
    calls = [(torch.ones(a), torch.ones(b)) for a, b in pairs]
    book = ledger(torch.compile(lambda x, y: x + y, backend="eager"), calls)
    assert book.traces == [1, 1, 0, 1, 0, 0]
    assert "needs y.shape[0] == x.shape[0]" in book.calls[3].why


def test_a_stance_makes_a_recompilation_an_error(torch, in_torch) -> None:
    center = torch.compile(in_torch.center, backend="eager")
    center(torch.ones(4))
    with torch.compiler.set_stance("fail_on_recompile"):
        center(torch.ones(4))
        with pytest.raises(RuntimeError, match="fail_on_recompile"):
            center(torch.ones(5))


def test_recompilations_are_logged_if_asked_for(torch, in_torch, capfd) -> None:
    center = torch.compile(in_torch.center, backend="eager")
    center(torch.ones(4))
    assert capfd.readouterr().err == ""
    torch._logging.set_logs(recompiles=True)  # as TORCH_LOGS=recompiles does
    center(torch.ones(5))
    assert "Recompiling function center" in capfd.readouterr().err


def test_the_program_for_any_length_takes_it_as_an_input(torch, in_torch) -> None:
    given = []

    def note(graph, inputs):
        given.append([type(value).__name__ for value in inputs])
        return graph.forward

    center = torch.compile(in_torch.center, backend=note)
    for n in (4, 5, 6):
        center(torch.ones(n))
    assert given == [["Tensor"], ["SymInt", "Tensor"]]


def test_padding_needs_two_programs_where_buckets_are_several(torch, in_torch) -> None:
    center = torch.compile(in_torch.center_padded, backend="eager")
    padded = [in_torch.pad_to_bucket(torch.ones(n)) for n in range(10, 50, 5)]
    calls = [(x, torch.tensor(5)) for x in padded]
    assert ledger(center, calls).programs == [1, 0, 1, 0, 0, 0, 0, 0]


def test_padding_inside_the_compiled_function_is_guarded_by_its_bucket(torch, in_torch) -> None:
    def center(x):
        return in_torch.center_padded(in_torch.pad_to_bucket(x), torch.tensor(x.shape[0]))

    for n in (10, 20, 40):
        got = torch.compile(center, backend="eager")(torch.ones(n))
        assert got.shape == in_torch.pad_to_bucket(torch.ones(n)).shape
