"""Guards on Python values, and their limit."""

import functools
import logging
from typing import Any

import pytest
from static_calls import OFFSET, X, calls_with

from jaxvstorch import ledger


def torch_traces(torch, function, first, values, **options) -> list[int]:
    torch.compiler.reset()
    compiled = torch.compile(function, backend="eager", **options)
    return ledger(compiled, [(first, value) for value in values]).traces


def test_torch_makes_a_symbol_of_an_integer_at_its_second_value(torch, in_torch) -> None:
    count = functools.partial(torch_traces, torch, in_torch.samples, torch.tensor(OFFSET))
    assert count((4, 4, 8, 16, 32)) == [1, 0, 1, 0, 0]
    assert count((4, 8, 16, 1, 0)) == [1, 1, 0, 1, 1]  # sizes of 0 and 1
    assert count((4, 4, 8, 16, 32), dynamic=True) == [1, 0, 0, 0, 0]
    assert count((4, 4, 8, 16, 32), dynamic=False) == [1, 0, 1, 1, 1]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_torch_makes_symbols_of_0_and_1_where_they_are_no_sizes(torch, in_torch, backend) -> None:
    def traces(values, **options) -> list[int]:
        torch.compiler.reset()
        scaled = torch.compile(in_torch.scaled, backend=backend, **options)
        return ledger(scaled, [(torch.tensor(X), value) for value in values]).traces

    for number in (int, float):
        assert traces(map(number, (4, 8, 16, 1, 0))) == [1, 1, 0, 0, 0]
        assert traces(map(number, (1, 2, 3, 0))) == [1, 1, 0, 0]
        assert traces(map(number, (1, 2, 0, 3)), dynamic=True) == [1, 0, 0, 0]


def test_torch_gives_sizes_of_0_and_1_programs_of_their_own(torch, in_torch) -> None:
    offset = torch.tensor(OFFSET)
    count = functools.partial(torch_traces, torch, in_torch.samples, offset)
    assert count((1, 2, 3, 4, 0, 1)) == [1, 1, 0, 0, 1, 0]
    assert count((1, 2, 3, 0), dynamic=True) == [1, 1, 0, 1]
    like = functools.partial(torch_traces, torch, in_torch.samples_like, offset)
    assert like([torch.ones(n) for n in (4, 8, 16, 1, 0)]) == [1, 1, 0, 1, 1]


def test_what_torch_does_with_a_number_decides_whether_it_becomes_an_input(torch) -> None:
    def repeated(x, n):
        for _ in range(n):
            x = x + 1
        return x

    def compared(x, n):
        return x + n if n > 5 else x - n

    line = torch.arange(9.0)
    count = functools.partial(torch_traces, torch)
    assert count(lambda x, n: x[n], line, (2, 3, 4, 1, 0)) == [1, 1, 0, 0, 0]
    assert count(compared, line, (3, 4, 2, 6, 7, 1)) == [1, 1, 0, 1, 0, 0]
    assert count(repeated, line, (3, 4, 5, 3)) == [1, 1, 1, 0]
    axes = torch.ones(2, 2, 2, 2)
    assert count(lambda x, n: x.sum(n), axes, (2, 3, 1, 0)) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("backend", "traces"), [("eager", [1, 1, 0, 0]), ("aot_eager", [1, 1, 1, 1])]
)
def test_aotautograd_keeps_a_float_constant_where_it_puts_no_tensor_in_its_place(
    torch, in_torch, backend, traces
) -> None:
    def clamped(x, bound):
        return torch.clamp(x, min=bound)

    def found(function) -> list[int]:
        torch.compiler.reset()
        compiled = torch.compile(function, backend=backend)
        return ledger(compiled, calls).traces

    calls = [(torch.tensor(X), value) for value in (2.0, 3.0, 4.0, 5.0)]
    assert found(clamped) == traces
    assert found(in_torch.scaled) == [1, 1, 0, 0]


def test_torch_compiles_for_a_number_in_a_tensor_only_with_fullgraph(torch, in_torch) -> None:
    calls = [(torch.tensor(OFFSET), torch.tensor(n)) for n in (4, 8, 16, 1, 0)]
    expected = in_torch.samples(calls[1][0], 8)

    def programs(**options) -> list[int]:
        torch.compiler.reset()
        # The default backend starts as this one does, but keeps programs on disk between runs.
        samples = torch.compile(in_torch.samples, backend="aot_eager", **options)
        book = ledger(samples, calls)
        torch.testing.assert_close(samples(*calls[1]), expected)
        return book.programs

    assert programs(fullgraph=True) == [1, 0, 0, 1, 1]  # sizes of 0 and 1 again
    assert programs() == [0] * 5


def test_torch_treats_floats_like_integers_and_guards_on_bools_and_strings(torch, in_torch) -> None:
    x = torch.tensor(X)
    scaled = functools.partial(torch_traces, torch, in_torch.scaled, x)
    assert scaled((2.0, 2.0, 3.0, 4.0)) == [1, 0, 1, 0]
    assert scaled((2, 2, 3, 4)) == [1, 0, 1, 0]
    assert scaled((True, False, True)) == [1, 1, 0]
    assert scaled((2, 2.0, True)) == [1, 1, 1]
    named = torch.compile(in_torch.gated_by_name, backend="eager")
    assert ledger(named, calls_with(x, ["tanh", "relu", "tanh"])).traces == [1, 1, 0]


@pytest.fixture
def warnings_of_dynamo():
    """What Dynamo warns of, kept from standard error."""
    logger, messages = logging.getLogger("torch._dynamo.convert_frame"), []
    keep = messages.append  # returns None, which tells the logger to drop the record

    logger.addFilter(keep)
    yield messages
    logger.removeFilter(keep)


def test_torch_runs_eagerly_past_the_recompile_limit(torch, in_torch, warnings_of_dynamo) -> None:
    assert torch._dynamo.config.recompile_limit == 8
    ran = []

    def count(graph: Any, inputs: Any) -> Any:
        def run(*values: Any) -> Any:
            ran.append(1)
            return graph.forward(*values)

        return run

    offset = torch.tensor(OFFSET)
    samples = torch.compile(in_torch.samples, backend=count, dynamic=False)
    book = ledger(samples, [(offset, n) for n in range(2, 12)])
    assert book.traces == [1] * 8 + [0] * 2
    assert len(ran) == 8
    (warning,) = warnings_of_dynamo
    assert "hit config.recompile_limit (8)" in warning.getMessage()
    assert samples(offset, 11).shape == (11,)
    assert len(ran) == 8  # eager
    assert samples(offset, 2).shape == (2,)
    assert len(ran) == 9  # still compiled


def test_torch_fullgraph_raises_past_the_recompile_limit(
    torch, in_torch, warnings_of_dynamo
) -> None:
    offset = torch.tensor(OFFSET)
    samples = torch.compile(in_torch.samples, backend="eager", dynamic=False, fullgraph=True)
    with torch._dynamo.config.patch(recompile_limit=2):
        samples(offset, 2)
        samples(offset, 3)
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="fullgraph=True"):
            samples(offset, 4)
