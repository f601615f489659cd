"""An argument changed, a global written."""

import numpy as np
from programs import graphs
from purity_inputs import X
from torch_versions import has_torch

from jaxvstorch import ledger


def test_jax_writes_into_a_copy_of_the_dictionary(jax, in_jax) -> None:
    stats = {}
    assert np.array_equal(jax.jit(in_jax.centered)(X, stats), X - X.mean())
    assert stats == {}


def test_jax_counts_traces_instead_of_calls(jax, in_jax, monkeypatch) -> None:
    monkeypatch.setattr(in_jax, "calls", 0)
    book = ledger(jax.jit(in_jax.counted), [(X,), (X,), (X[:3],)])
    assert book.traces == [1, 0, 1]
    assert in_jax.calls == 2


def test_torch_replays_side_effects_after_the_graph(torch, in_torch, monkeypatch) -> None:
    x = torch.from_numpy(X)
    monkeypatch.setattr(in_torch, "calls", 0)
    outside_while_running = []

    def look(graph, inputs):
        def run(*arguments):
            outside_while_running.append((len(in_torch.kept), in_torch.calls, dict(stats)))
            return graph(*arguments)

        return run

    stats: dict = {}
    for function, extra in (
        (in_torch.summed_squares, ()),
        (in_torch.counted, ()),
        (in_torch.centered, (stats,)),
    ):
        torch.compile(function, backend=look, fullgraph=True)(x, *extra)
    assert outside_while_running == [(0, 0, {}), (1, 0, {}), (1, 1, {})]
    assert torch.equal(in_torch.kept[0], x * x)
    assert in_torch.calls == 1
    assert stats == {"mean": 1.5}


def test_a_kept_tensor_is_an_output_of_torchs_graph(torch, in_torch) -> None:
    (graph,) = graphs(torch, in_torch.summed_squares, torch.from_numpy(X))
    assert "return (sum_1, squares)" in graph.code


def test_a_counter_compiles_on_every_call_until_the_limit(torch, in_torch, monkeypatch) -> None:
    """From PyTorch 2.14 on a number that is only counted has no guard."""
    x = torch.from_numpy(X)
    monkeypatch.setattr(in_torch, "calls", 0)
    compiled = torch.compile(in_torch.counted, backend="eager")
    with torch._dynamo.config.patch(recompile_limit=3):
        book = ledger(compiled, [(x,)] * 5)
    assert in_torch.calls == 5
    if has_torch("2.14"):
        assert book.traces == [1, 0, 0, 0, 0]
    else:
        assert book.traces == [1, 1, 1, 0, 0]
        assert book.rows()[1][-1] == "global calls: 0 → 1"
