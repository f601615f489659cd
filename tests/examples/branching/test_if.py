"""`if` and a Python tuple of functions."""

import numpy as np
import pytest

from jaxvstorch import ledger


def test_jax_cannot_decide_an_if_on_a_traced_value(in_jax) -> None:
    j, true = in_jax, in_jax.jnp.bool_(True)
    error = j.jax.errors.TracerBoolConversionError
    with pytest.raises(error, match="Attempted boolean conversion of traced array"):
        j.jax.jit(j.examples.select_if)(true, j.x)
    with pytest.raises(error):
        j.jax.vmap(j.examples.select_if)(true[None], j.x[None])


def test_jax_decides_an_if_while_it_differentiates_without_jit(in_jax) -> None:
    j = in_jax
    slope = j.jax.grad(lambda x: j.examples.select_if(x.sum() > 0, x).sum())(j.x)
    np.testing.assert_allclose(slope, np.cos(np.arange(4)), rtol=1e-6)


def test_jax_cannot_index_a_tuple_with_a_traced_number(in_jax) -> None:
    j = in_jax
    with pytest.raises(j.jax.errors.TracerIntegerConversionError):
        j.jax.jit(j.examples.activate_list)(j.jnp.int32(1), j.x)


def test_torch_splits_the_graph_at_an_if_and_compiles_each_branch_when_taken(in_torch) -> None:
    t = in_torch
    calls = [(t.yes, t.x), (t.yes, t.x), (t.no, t.x), (t.yes, t.x)]
    book = ledger(t.graph(t.examples.select_if), calls)
    assert book.programs == [2, 0, 1, 0]
    assert book.breaks == [1, 0, 0, 0]


def test_torch_explains_the_break_at_an_if(in_torch) -> None:
    t = in_torch
    found = t.torch._dynamo.explain(t.examples.select_if)(t.yes, t.x)
    assert (found.graph_count, found.graph_break_count) == (2, 1)
    assert "generic_jump" in found.break_reasons[0].reason


def test_fullgraph_makes_an_if_on_a_tensor_an_error(in_torch) -> None:
    t = in_torch
    with pytest.raises(t.torch._dynamo.exc.Unsupported, match="Data-dependent branching"):
        t.graph(t.examples.select_if, fullgraph=True)(t.yes, t.x)


def test_fullgraph_does_not_object_to_what_was_compiled_without_it(in_torch) -> None:
    t = in_torch
    t.graph(t.examples.select_if)(t.yes, t.x)
    t.graph(t.examples.select_if, fullgraph=True)(t.yes, t.x)  # the earlier code is used again
    t.torch.compiler.reset()
    with pytest.raises(t.torch._dynamo.exc.Unsupported):
        t.graph(t.examples.select_if, fullgraph=True)(t.yes, t.x)


def test_item_breaks_the_graph_too_and_fullgraph_gives_another_error(in_torch) -> None:
    t = in_torch

    def select_item(x):
        return x + 1 if x.sum().item() > 0 else x - 1

    with pytest.raises(t.torch._dynamo.exc.UserError, match="data-dependent expression"):
        t.graph(select_item, fullgraph=True)(t.x)
    t.torch.compiler.reset()
    assert ledger(t.graph(select_item), [(t.x,)]).breaks == [1]


def test_torch_compiles_a_tuple_of_functions_once_for_each_number(in_torch) -> None:
    t = in_torch
    calls = [(t.torch.tensor(i, dtype=t.torch.int32), t.x) for i in (1, 0, 1, 0)]
    # torch 2.10 says the latter, and blames the tensor's size.
    with pytest.raises(Exception, match=r"specialized integer|Indexing list"):
        t.graph(t.examples.activate_list, fullgraph=True)(*calls[0])
    t.torch.compiler.reset()
    book = ledger(t.graph(t.examples.activate_list), calls)
    assert book.programs == [1, 1, 0, 0]
    assert book.breaks == [1, 0, 0, 0]
