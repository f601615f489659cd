"""The order of a dict's keys: where it does not count, and where it changes the result."""

import numpy as np
import pytest


def in_a_row(library):
    return lambda tree: library.stack(list(tree.values()))


def test_jax_sorts_the_keys(jax) -> None:
    assert list(jax.tree.map(lambda x: x, {"b": 1, "a": 2})) == ["a", "b"]
    with pytest.raises(ValueError, match="while sorting pytree dictionary keys"):
        jax.tree.leaves({1: 1, "a": 2})


def test_torch_and_optree_keep_the_order_and_optree_sorts_the_leaves(torch) -> None:
    from torch.utils import _pytree

    optree = pytest.importorskip("optree", reason="optree is not installed")
    tree = {"b": 1, "a": 2}
    for tree_map in (_pytree.tree_map, optree.tree_map):
        assert list(tree_map(lambda x: x, tree)) == ["b", "a"]
    assert (_pytree.tree_leaves(tree), optree.tree_leaves(tree)) == ([1, 2], [2, 1])
    for leaves in (_pytree.tree_leaves, optree.tree_leaves):
        assert leaves({1: 1, "a": 2}) == [1, 2]


def test_one_dict_becomes_two_vectors(jax, torch, in_jax, in_torch) -> None:
    numbers = {"b": np.float32([1]), "a": np.float32([2])}
    vector = in_jax.flatten_to_vector({key: jax.numpy.array(x) for key, x in numbers.items()})
    assert vector.tolist() == [2, 1]
    vector = in_torch.flatten_to_vector({key: torch.tensor(x) for key, x in numbers.items()})
    assert vector.tolist() == [1, 2]


def test_jax_s_transformations_give_a_function_sorted_dicts(jax) -> None:
    row = in_a_row(jax.numpy)
    tree = {"b": jax.numpy.float32(1), "a": jax.numpy.float32(2)}
    assert row(tree).tolist() == [1, 2]
    assert jax.jit(row)(tree).tolist() == [2, 1]
    assert jax.grad(lambda tree: row(tree)[0])(tree) == {"a": 1, "b": 0}
    batch = {key: x[None] for key, x in tree.items()}
    assert jax.vmap(row)(batch).tolist() == [[2, 1]]


def test_jax_grad_leaves_the_order_of_a_dict_that_it_does_not_differentiate(jax) -> None:
    tree = {"b": jax.numpy.float32(1), "a": jax.numpy.float32(2)}
    assert jax.grad(lambda x, tree: x * in_a_row(jax.numpy)(tree)[0])(1.0, tree) == 1


def test_torch_compile_guards_the_order_that_values_met(torch) -> None:
    one, two = torch.tensor(1.0), torch.tensor(2.0)
    compiled = torch.compile(in_a_row(torch), backend="eager", fullgraph=True)
    assert compiled({"a": one, "b": two}).tolist() == [1, 2]
    assert compiled({"b": two, "a": one}).tolist() == [2, 1]


@pytest.mark.parametrize("library", ["torch", "optree"])
def test_torch_compile_does_not_guard_the_order_that_tree_map_met(torch, library) -> None:
    """Wrong in torch 2.13: where this fails, PyTorch is right, and the page has to say so."""
    from torch.utils import _pytree

    tree_map = _pytree.tree_map
    if library == "optree":
        tree_map = pytest.importorskip("optree", reason="optree is not installed").tree_map

    def doubled(tree):
        return torch.stack(list(tree_map(lambda x: 2 * x, tree).values()))

    one, two = torch.tensor(1.0), torch.tensor(2.0)
    compiled = torch.compile(doubled, backend="eager", fullgraph=True)
    assert compiled({"a": one, "b": two}).tolist() == [2, 4]
    assert doubled({"b": two, "a": one}).tolist() == [4, 2]
    assert compiled({"b": two, "a": one}).tolist() == [2, 4]


def test_vmap_pairs_axes_by_key_in_jax_and_by_position_in_torch(jax, torch) -> None:
    def join(tree):
        return tree["row"] + tree["column"]

    column = np.array([[1, 2], [3, 4]], np.float32)
    ordered, turned = {"row": 0, "column": 1}, {"column": 1, "row": 0}
    arrays = {"row": jax.numpy.zeros((2, 2)), "column": jax.numpy.array(column)}
    tensors = {"row": torch.zeros(2, 2), "column": torch.tensor(column)}
    for axes in (ordered, turned):
        assert jax.vmap(join, in_axes=(axes,))(arrays).tolist() == column.T.tolist()
    assert torch.vmap(join, in_dims=(ordered,))(tensors).tolist() == column.T.tolist()
    assert torch.vmap(join, in_dims=(turned,))(tensors).tolist() == column.tolist()
