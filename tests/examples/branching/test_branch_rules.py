"""The rules of the branches."""

import numpy as np
import pytest
from branching_programs import X
from programs import primitives


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        (lambda x: x[:2], "so the shapes do not match"),
        (lambda x: x.astype(int), "so the dtypes do not match"),
        (lambda x: (x, x), "must have the same pytree structure"),
    ],
    ids=["shape", "dtype", "structure"],
)
def test_jax_wants_branches_of_one_type(jax, branch, message: str) -> None:
    x = jax.numpy.asarray(X)
    with pytest.raises(TypeError, match=message):
        jax.lax.cond(True, jax.numpy.sin, branch, x)
    with pytest.raises(TypeError, match=message):
        jax.lax.switch(0, [jax.numpy.sin, jax.numpy.cos, branch], x)


def test_jax_traces_both_branches_whatever_the_predicate(jax) -> None:
    traced = []

    def named(name):
        def branch(x):
            traced.append(name)
            return x

        return branch

    jax.jit(lambda x: jax.lax.cond(True, named("true"), named("false"), x))(jax.numpy.asarray(X))
    assert set(traced) == {"true", "false"}


def test_jax_wants_one_predicate_and_a_whole_index(jax) -> None:
    x = jax.numpy.asarray(X)
    with pytest.raises(TypeError, match="Pred must be a scalar"):
        jax.lax.cond(x > 1, jax.numpy.sin, jax.numpy.cos, x)
    with pytest.raises(TypeError, match="Index type must be an integer"):
        jax.lax.switch(1.0, [jax.numpy.sin, jax.numpy.cos], x)


def test_jax_where_broadcasts_and_promotes_and_select_does_not(jax) -> None:
    x = jax.numpy.asarray(X)
    mask = x > 1
    assert jax.numpy.where(mask, x, 0).dtype == jax.numpy.float32
    assert jax.numpy.where(mask, x, jax.numpy.arange(4)).dtype == jax.numpy.float32
    with pytest.raises(TypeError, match="same shapes"):
        jax.lax.select(mask, x, 0.0)
    with pytest.raises(TypeError, match="same dtypes"):
        jax.lax.select(mask, x, jax.numpy.arange(4))


def test_torch_wants_branches_of_one_dtype_rank_and_structure(torch) -> None:
    error = torch._dynamo.exc.TorchRuntimeError
    for branch, message in (
        (lambda x: x.to(torch.int64), "expected same dtype"),
        (lambda x: x.sum(), "expected same dim"),
        (lambda x: (x + 1, x + 2), "Unmatched output spec"),
    ):
        with pytest.raises(error, match=message):
            torch.cond(torch.tensor(True), torch.sin, branch, (torch.tensor(X),))


def test_torch_lets_the_branches_differ_in_length(torch) -> None:
    yes, no = torch.tensor(True), torch.tensor(False)

    def select(predicate, x):
        return torch.cond(predicate, torch.sin, lambda x: x[:2] + 1, (x,))

    compiled = torch.compile(select, backend="eager", fullgraph=True)
    assert [len(compiled(predicate, torch.tensor(X))) for predicate in (yes, no)] == [4, 2]


def test_a_branch_in_torch_may_not_return_or_change_its_operand(torch) -> None:
    error = torch._dynamo.exc.UncapturedHigherOrderOpError
    for branch, message in (
        (lambda x: x, "do not support aliasing"),
        (lambda x: x.add_(1) * 2, "do not support input mutation"),
    ):
        with pytest.raises(error, match=message):
            torch.cond(torch.tensor(True), branch, torch.sin, (torch.tensor(X),))


def test_torch_wants_one_predicate_and_a_boolean_mask(torch) -> None:
    x = torch.tensor(X)
    with pytest.raises(RuntimeError, match="bool or single-element tensor"):
        torch.cond(x > 1, torch.sin, torch.cos, (x,))
    assert torch.cond(True, lambda x: x, lambda x: x.sum(), (x,)) is x  # no checks at all
    with pytest.raises(RuntimeError, match="condition to be a boolean tensor"):
        torch.where(x, x, x)
    assert torch.where(x > 1, x, 0).dtype == torch.float32


@pytest.mark.parametrize("name", ["activate_switch", "activate_select"])
def test_a_number_out_of_range_means_the_nearest_branch(
    jax, in_jax, torch, in_torch, name: str
) -> None:
    for half, array in ((in_jax, jax.numpy.asarray), (in_torch, torch.tensor)):
        activate = getattr(half, name)
        for outside, nearest in ((-5, 0), (7, 2)):
            got = np.asarray(activate(array(outside), array(X)))
            np.testing.assert_array_equal(got, np.asarray(activate(array(nearest), array(X))))


def test_jax_switch_clamps_its_index_in_the_jaxpr(jax, in_jax) -> None:
    jaxpr = jax.make_jaxpr(in_jax.activate_switch)(jax.numpy.int32(7), X)
    assert primitives(jaxpr) == ["clamp", "cond"]


def test_stacking_and_indexing_needs_the_number_in_a_graph(torch) -> None:
    x = torch.tensor(X)

    def stacked(kind, x):
        return torch.stack([torch.tanh(x), torch.sigmoid(x)])[kind.clamp(0, 1)]

    assert torch.equal(stacked(torch.tensor(0), x), torch.tanh(x))
    with pytest.raises(torch._dynamo.exc.UserError, match="specialized integer"):
        torch.compile(stacked, backend="eager", fullgraph=True)(torch.tensor(0), x)
