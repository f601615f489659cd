"""What belongs to the structure of a tree, and so makes the compilers compile again."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field

import pytest

from jaxvstorch import ledger

State = namedtuple("State", "first second")


def total(tree):
    values = tree.values() if isinstance(tree, dict) else tree
    return sum(x for x in values if x is not None)


def by_name(tree):
    return tree["a"] - tree["b"]


def programs(compiled, trees) -> list[int]:
    return ledger(compiled, [(tree,) for tree in trees]).programs


def of_two(one, two) -> dict[str, tuple[object, list[int]]]:
    """Trees with the programs that JAX and PyTorch compile for them, in this order."""
    return {
        "a dict": ({"a": one, "b": two}, [1, 1]),
        "the keys in another order": ({"b": one, "a": two}, [0, 1]),
        "another key": ({"a": one, "c": two}, [1, 1]),
        "a list": ([one, two], [1, 1]),
        "a tuple": ((one, two), [1, 1]),
        "a named tuple": (State(one, two), [1, 1]),
        "a None more": ((one, two, None), [1, 1]),
        "what was there before": ([two, one], [0, 0]),
    }


def test_jax_compiles_again_for_another_structure_and_not_for_the_order_of_keys(jax) -> None:
    trees = of_two(jax.numpy.float32(1), jax.numpy.float32(2)).values()
    found = programs(jax.jit(total), [tree for tree, _ in trees])
    assert found == [expected[0] for _, expected in trees]


def test_torch_compiles_again_for_all_that_a_function_reads(torch) -> None:
    trees = of_two(torch.tensor(1.0), torch.tensor(2.0)).values()
    found = programs(torch.compile(total, backend="eager"), [tree for tree, _ in trees])
    assert found == [expected[1] for _, expected in trees]


def test_torch_does_not_compile_again_for_what_a_function_does_not_read(torch) -> None:
    one, two = torch.tensor(1.0), torch.tensor(2.0)
    trees = [{"a": one, "b": two}, {"b": one, "a": two}, {"a": one, "b": two, "c": one}]
    assert programs(torch.compile(by_name, backend="eager"), trees) == [1, 0, 0]


def test_torch_tells_lists_by_type_and_length_whatever_it_reads_of_them(torch) -> None:
    one, two = torch.tensor(1.0), torch.tensor(2.0)
    for trees in ([[one, two], (one, two)], [[one], [one, None]], [(one,), (one, None)]):
        torch.compiler.reset()
        compiled = torch.compile(lambda tree: 2 * tree[0], backend="eager")
        assert programs(compiled, trees) == [1, 1]
    compiled = torch.compile(lambda tree: 2 * tree["a"], backend="eager")
    assert programs(compiled, [{"a": one, "b": two}, {"a": one, "c": two}]) == [1, 0]


def test_jax_compiles_again_for_a_key_that_no_line_reads(jax) -> None:
    one, two = jax.numpy.float32(1), jax.numpy.float32(2)
    trees = [{"a": one, "b": two}, {"b": one, "a": two}, {"a": one, "b": two, "c": one}]
    assert programs(jax.jit(by_name), trees) == [1, 0, 1]


def test_an_ordered_dict_keeps_its_order_in_jax(jax) -> None:
    first, second = OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)
    assert jax.tree.structure(first) != jax.tree.structure(second)
    assert jax.tree.structure(dict(first)) == jax.tree.structure(dict(second))


def test_none_and_empty_containers_hold_no_leaf_in_jax_and_none_is_one_in_torch(jax, torch) -> None:
    from torch.utils import _pytree

    tree = [None, [], {}, ()]
    assert jax.tree.leaves(tree) == []
    assert _pytree.tree_leaves(tree) == [None]


def test_optree_passes_over_none_unless_it_is_asked_not_to() -> None:
    optree = pytest.importorskip("optree", reason="optree is not installed")
    assert optree.tree_leaves([None, []]) == []
    assert optree.tree_leaves([None, []], none_is_leaf=True) == [None]


def registered(jax):
    @jax.tree_util.register_dataclass
    @dataclass
    class Layer:
        weight: object
        kind: object = field(default="linear", metadata={"static": True})

    return Layer


def test_jax_compiles_again_for_another_static_field(jax) -> None:
    layer, one = registered(jax), jax.numpy.float32(1)
    trees = [layer(one), layer(2 * one), layer(one, "relu"), layer(one, "linear")]
    assert programs(jax.jit(lambda layer: 2 * layer.weight), trees) == [1, 0, 1, 0]


def test_jax_compiles_again_for_each_lambda_in_a_static_field(jax) -> None:
    layer, one = registered(jax), jax.numpy.float32(1)
    same = [layer(one, jax.numpy.tanh), layer(one, jax.numpy.tanh)]
    assert programs(jax.jit(lambda layer: layer.kind(layer.weight)), same) == [1, 0]
    new = [layer(one, lambda x: x), layer(one, lambda x: x)]
    assert programs(jax.jit(lambda layer: layer.kind(layer.weight)), new) == [1, 1]


def test_torch_guards_the_fields_that_it_reads(torch) -> None:
    @dataclass
    class Layer:
        weight: object
        kind: str = "linear"

    one = torch.tensor(1.0)
    trees = [Layer(one), Layer(2 * one), Layer(one, "relu")]
    assert programs(torch.compile(lambda x: 2 * x.weight, backend="eager"), trees) == [1, 0, 0]

    def read(layer):
        return layer.weight + (layer.kind == "relu")

    assert programs(torch.compile(read, backend="eager"), trees) == [1, 0, 1]


def test_the_program_has_an_argument_for_each_leaf(jax, torch, in_jax, in_torch) -> None:
    tree = {"a": [jax.numpy.ones(3), None], "b": {"c": jax.numpy.ones(2)}}
    assert len(jax.make_jaxpr(lambda tree: tree)(tree).in_avals) == 2
    jaxpr = jax.make_jaxpr(in_jax.sgd_step)(tree, tree, 0.1)
    assert len(jaxpr.eqns) == 3 * 2
