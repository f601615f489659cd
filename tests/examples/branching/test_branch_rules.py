"""The rules of the branches."""

import numpy as np
import pytest
from branching_programs import primitives


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        (lambda x: x[:2], "so the shapes do not match"),
        (lambda x: x.astype(int), "so the dtypes do not match"),
        (lambda x: (x, x), "must have the same pytree structure"),
    ],
    ids=["shape", "dtype", "structure"],
)
def test_jax_wants_branches_of_one_type(in_jax, branch, message: str) -> None:
    j = in_jax
    with pytest.raises(TypeError, match=message):
        j.lax.cond(True, j.jnp.sin, branch, j.x)
    with pytest.raises(TypeError, match=message):
        j.lax.switch(0, [j.jnp.sin, j.jnp.cos, branch], j.x)


def test_jax_traces_both_branches_whatever_the_predicate(in_jax) -> None:
    j, traced = in_jax, []

    def named(name):
        def branch(x):
            traced.append(name)
            return x

        return branch

    j.jax.jit(lambda x: j.lax.cond(True, named("true"), named("false"), x))(j.x)
    assert set(traced) == {"true", "false"}


def test_jax_wants_one_predicate_and_a_whole_index(in_jax) -> None:
    j = in_jax
    with pytest.raises(TypeError, match="Pred must be a scalar"):
        j.lax.cond(j.x > 1, j.jnp.sin, j.jnp.cos, j.x)
    with pytest.raises(TypeError, match="Index type must be an integer"):
        j.lax.switch(1.0, [j.jnp.sin, j.jnp.cos], j.x)


def test_jax_where_broadcasts_and_promotes_and_select_does_not(in_jax) -> None:
    j, mask = in_jax, in_jax.x > 1
    assert j.jnp.where(mask, j.x, 0).dtype == j.jnp.float32
    assert j.jnp.where(mask, j.x, j.jnp.arange(4)).dtype == j.jnp.float32
    with pytest.raises(TypeError, match="same shapes"):
        j.lax.select(mask, j.x, 0.0)
    with pytest.raises(TypeError, match="same dtypes"):
        j.lax.select(mask, j.x, j.jnp.arange(4))


def test_torch_wants_branches_of_one_dtype_rank_and_structure(in_torch) -> None:
    t = in_torch
    error = t.torch._dynamo.exc.TorchRuntimeError
    for branch, message in (
        (lambda x: x.to(t.torch.int64), "expected same dtype"),
        (lambda x: x.sum(), "expected same dim"),
        (lambda x: (x + 1, x + 2), "Unmatched output spec"),
    ):
        with pytest.raises(error, match=message):
            t.torch.cond(t.yes, t.torch.sin, branch, (t.x,))


def test_torch_lets_the_branches_differ_in_length(in_torch) -> None:
    t = in_torch

    def select(predicate, x):
        return t.torch.cond(predicate, t.torch.sin, lambda x: x[:2] + 1, (x,))

    compiled = t.graph(select, fullgraph=True)
    assert [len(compiled(predicate, t.x)) for predicate in (t.yes, t.no)] == [4, 2]


def test_a_branch_in_torch_may_not_return_or_change_its_operand(in_torch) -> None:
    t = in_torch
    error = t.torch._dynamo.exc.UncapturedHigherOrderOpError
    for branch, message in (
        (lambda x: x, "do not support aliasing"),
        (lambda x: x.add_(1) * 2, "do not support input mutation"),
    ):
        with pytest.raises(error, match=message):
            t.torch.cond(t.yes, branch, t.torch.sin, (t.x.requires_grad_(False),))


def test_torch_wants_one_predicate_and_a_boolean_mask(in_torch) -> None:
    t = in_torch
    with pytest.raises(RuntimeError, match="bool or single-element tensor"):
        t.torch.cond(t.x > 1, t.torch.sin, t.torch.cos, (t.x,))
    assert t.torch.cond(True, lambda x: x, lambda x: x.sum(), (t.x,)) is t.x  # no checks at all
    with pytest.raises(RuntimeError, match="condition to be a boolean tensor"):
        t.torch.where(t.x, t.x, t.x)
    assert t.torch.where(t.x > 1, t.x, 0).dtype == t.torch.float32


@pytest.mark.parametrize("name", ["activate_switch", "activate_select"])
def test_a_number_out_of_range_means_the_nearest_branch(in_jax, in_torch, name: str) -> None:
    for half, array in ((in_jax, in_jax.jnp.int32), (in_torch, in_torch.torch.tensor)):
        activate = getattr(half.examples, name)
        for outside, nearest in ((-5, 0), (7, 2)):
            got = np.asarray(activate(array(outside), half.x))
            np.testing.assert_array_equal(got, np.asarray(activate(array(nearest), half.x)))


def test_jax_switch_clamps_its_index_in_the_jaxpr(in_jax) -> None:
    found = primitives(in_jax, in_jax.examples.activate_switch, in_jax.jnp.int32(7), in_jax.x)
    assert found == ["clamp", "cond"]


def test_stacking_and_indexing_needs_the_number_in_a_graph(in_torch) -> None:
    t = in_torch

    def stacked(kind, x):
        return t.torch.stack([t.torch.tanh(x), t.torch.sigmoid(x)])[kind.clamp(0, 1)]

    assert t.torch.equal(stacked(t.torch.tensor(0), t.x), t.torch.tanh(t.x))
    with pytest.raises(t.torch._dynamo.exc.UserError, match="specialized integer"):
        t.graph(stacked, fullgraph=True)(t.torch.tensor(0), t.x)
