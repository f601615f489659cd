"""`if` and a Python tuple of functions."""

import numpy as np
import pytest
from branching_programs import X

from jaxvstorch import ledger


def test_jax_cannot_decide_an_if_on_a_traced_value(jax, in_jax) -> None:
    x = jax.numpy.asarray(X)
    true = jax.numpy.bool_(True)
    error = jax.errors.TracerBoolConversionError
    with pytest.raises(error, match="Attempted boolean conversion of traced array"):
        jax.jit(in_jax.select_if)(true, x)
    with pytest.raises(error):
        jax.vmap(in_jax.select_if)(true[None], x[None])


def test_jax_decides_an_if_while_it_differentiates_without_jit(jax, in_jax) -> None:
    slope = jax.grad(lambda x: in_jax.select_if(x.sum() > 0, x).sum())(jax.numpy.asarray(X))
    np.testing.assert_allclose(slope, np.cos(np.arange(4)), rtol=1e-6)


def test_jax_cannot_index_a_tuple_with_a_traced_number(jax, in_jax) -> None:
    with pytest.raises(jax.errors.TracerIntegerConversionError):
        jax.jit(in_jax.activate_list)(jax.numpy.int32(1), jax.numpy.asarray(X))


def test_torch_splits_the_graph_at_an_if_and_compiles_each_branch_when_taken(
    torch, in_torch
) -> None:
    yes, no, x = torch.tensor(True), torch.tensor(False), torch.tensor(X)
    calls = [(yes, x), (yes, x), (no, x), (yes, x)]
    book = ledger(torch.compile(in_torch.select_if, backend="eager"), calls)
    assert book.programs == [2, 0, 1, 0]
    assert book.breaks == [1, 0, 0, 0]


def test_torch_explains_the_break_at_an_if(torch, in_torch) -> None:
    found = torch._dynamo.explain(in_torch.select_if)(torch.tensor(True), torch.tensor(X))
    assert (found.graph_count, found.graph_break_count) == (2, 1)
    assert "generic_jump" in found.break_reasons[0].reason


def test_fullgraph_makes_an_if_on_a_tensor_an_error(torch, in_torch) -> None:
    whole = torch.compile(in_torch.select_if, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="Data-dependent branching"):
        whole(torch.tensor(True), torch.tensor(X))


def test_fullgraph_does_not_object_to_what_was_compiled_without_it(torch, in_torch) -> None:
    arguments = torch.tensor(True), torch.tensor(X)
    torch.compile(in_torch.select_if, backend="eager")(*arguments)
    whole = torch.compile(in_torch.select_if, backend="eager", fullgraph=True)
    whole(*arguments)  # the earlier code is used again
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported):
        whole(*arguments)


def test_item_breaks_the_graph_too_and_fullgraph_gives_another_error(torch) -> None:
    x = torch.tensor(X)

    def select_item(x):
        return x + 1 if x.sum().item() > 0 else x - 1

    with pytest.raises(torch._dynamo.exc.UserError, match="data-dependent expression"):
        torch.compile(select_item, backend="eager", fullgraph=True)(x)
    torch.compiler.reset()
    assert ledger(torch.compile(select_item, backend="eager"), [(x,)]).breaks == [1]


def test_torch_compiles_a_tuple_of_functions_once_for_each_number(torch, in_torch) -> None:
    calls = [(torch.tensor(i, dtype=torch.int32), torch.tensor(X)) for i in (1, 0, 1, 0)]
    # torch 2.10 says the latter, and blames the tensor's size.
    with pytest.raises(Exception, match=r"specialized integer|Indexing list"):
        torch.compile(in_torch.activate_list, backend="eager", fullgraph=True)(*calls[0])
    torch.compiler.reset()
    book = ledger(torch.compile(in_torch.activate_list, backend="eager"), calls)
    assert book.programs == [1, 1, 0, 0]
    assert book.breaks == [1, 0, 0, 0]
