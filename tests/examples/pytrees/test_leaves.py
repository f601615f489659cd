"""What each framework takes apart, and what it takes for a leaf."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest


@dataclass
class Layer:
    """A class that neither framework knows."""

    weight: Any
    kind: str = "linear"


class Record(dict):
    """A subclass of dict is a class like any other."""


def twice(layer):
    return 2 * layer.weight


def test_an_object_of_an_unknown_class_is_a_leaf_in_both(jax, torch) -> None:
    from torch.utils import _pytree

    for tree in (Layer(1), Record(a=1)):
        assert jax.tree.leaves(tree) == _pytree.tree_leaves(tree) == [tree]


def test_jit_wants_arrays_as_leaves(jax) -> None:
    with pytest.raises(TypeError, match=r"problematic value is of type <class '.*Layer'>"):
        jax.jit(twice)(Layer(jax.numpy.ones(2)))
    with pytest.raises(TypeError, match=r"returned a value of type <class '.*Layer'>"):
        jax.jit(Layer)(jax.numpy.ones(2))
    with pytest.raises(TypeError, match=r"at path tree\['name'\]"):
        jax.jit(lambda tree: tree)({"name": "text"})


def test_torch_compile_takes_any_object_and_torch_func_does_not(torch) -> None:
    layer = Layer(torch.ones(2))
    compiled = torch.compile(twice, backend="eager", fullgraph=True)
    assert compiled(layer).tolist() == [2, 2]
    with pytest.raises(ValueError, match="must be Tensor, got"):
        torch.func.grad(lambda layer: twice(layer).sum())(layer)
    with pytest.raises(ValueError, match="cannot vmap over non-Tensor arguments"):
        torch.vmap(twice)(layer)
    with pytest.raises(RuntimeError, match="consists of tensor leaves"):
        torch.cond(torch.tensor(True), twice, twice, (layer,))


def test_a_class_registered_with_torch_s_private_module_goes_through_torch_func(torch) -> None:
    from torch.utils import _pytree

    class Known:
        def __init__(self, weight, kind):
            self.weight, self.kind = weight, kind

    _pytree.register_pytree_node(
        Known, lambda known: ([known.weight], known.kind), lambda held, kind: Known(*held, kind)
    )
    slopes = torch.func.grad(lambda known: (known.weight**2).sum())(Known(torch.ones(2), "linear"))
    assert (slopes.weight.tolist(), slopes.kind) == ([2, 2], "linear")
    with pytest.raises(ValueError, match="Node context mismatch"):
        _pytree.tree_map(lambda a, b: a, Known(1, "linear"), Known(1, "relu"))


def test_torch_s_register_dataclass_has_no_static_fields(torch) -> None:
    from torch.utils import _pytree

    @dataclass
    class Known:
        weight: Any
        kind: str = "linear"

    _pytree.register_dataclass(Known)
    assert _pytree.tree_leaves(Known(1)) == [1, "linear"]


def test_jax_registers_a_class_in_three_ways(jax) -> None:
    @dataclass
    class Theirs:
        weight: Any
        kind: str = "linear"

    @jax.tree_util.register_pytree_node_class
    class Scale(Layer):
        def tree_flatten(self):
            return (self.weight,), self.kind

        @classmethod
        def tree_unflatten(cls, kind, children):
            return cls(*children, kind)

    @jax.tree_util.register_dataclass
    @dataclass
    class Ours:
        weight: Any
        kind: str = jax.tree.static(default="linear")

    jax.tree_util.register_dataclass(Theirs, data_fields=["weight"], meta_fields=["kind"])
    for kind in (Theirs, Scale, Ours):
        assert jax.tree.leaves(kind(1.0)) == [1.0]
        assert jax.tree.structure(kind(1.0)) == jax.tree.structure(kind(2.0))
        assert jax.tree.structure(kind(1.0)) != jax.tree.structure(kind(1.0, "relu"))
        assert jax.jit(twice)(kind(1.0)) == 2


def test_registering_twice_and_forgetting_a_field_are_errors(jax) -> None:
    @dataclass
    class Once:
        x: Any
        y: Any

    with pytest.raises(ValueError, match=r"Missing fields: \{'y'\}"):
        jax.tree_util.register_dataclass(Once, data_fields=["x"], meta_fields=[])
    jax.tree_util.register_dataclass(Once, data_fields=["x", "y"], meta_fields=[])
    with pytest.raises(ValueError, match="Duplicate"):
        jax.tree_util.register_dataclass(Once, data_fields=["x", "y"], meta_fields=[])


def test_jax_calls_the_class_of_a_registered_dataclass_with_tracers(jax) -> None:
    seen = []

    @jax.tree_util.register_dataclass
    @dataclass
    class Watched:
        x: Any

        def __post_init__(self):
            seen.append(type(self.x).__name__)

    jax.jit(lambda watched: watched)(Watched(jax.numpy.ones(2)))
    assert seen[0] == "ArrayImpl"
    assert "DynamicJaxprTracer" in seen


def test_none_has_no_gradient_in_jax_and_is_an_error_in_torch(jax, torch) -> None:
    def square(tree):
        return (tree["weight"] ** 2).sum()

    slopes = jax.grad(square)({"weight": jax.numpy.ones(2), "other": None})
    assert slopes["other"] is None
    with pytest.raises(TypeError, match="grad requires real- or complex-valued inputs"):
        jax.grad(square)({"weight": jax.numpy.ones(2), "other": 3})
    for other in (None, 3):
        with pytest.raises(ValueError, match="must be Tensor"):
            torch.func.grad(square)({"weight": torch.ones(2), "other": other})
    whole = {"weight": torch.ones(2), "other": torch.ones(2, dtype=torch.int)}
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype"):
        torch.func.grad(square)(whole)


def test_a_static_field_may_be_a_list_and_its_changes_are_not_seen(jax) -> None:
    @jax.tree_util.register_dataclass
    @dataclass
    class Stack:
        weight: Any
        kinds: Any = field(default=(), metadata={"static": True})

    scaled = jax.jit(lambda stack: stack.weight * len(stack.kinds))
    stack = Stack(jax.numpy.float32(1), ["tanh"])
    assert scaled(stack) == 1
    stack.kinds.append("relu")
    assert scaled(stack) == 1  # and is wrong
    assert scaled(Stack(jax.numpy.float32(1), ("tanh", "relu"))) == 2
    fresh = jax.jit(lambda stack: stack.weight)
    assert fresh(Stack(1.0, np.ones(2))) == 1  # nothing to compare it with
    for array in (np.ones(2), jax.numpy.ones(2)):
        with pytest.raises(ValueError, match="checking equality of metadata fields"):
            scaled(Stack(jax.numpy.float32(1), array))
    named = jax.jit(lambda stack: stack.weight, static_argnames="stack")
    with pytest.raises(ValueError, match="Non-hashable static arguments"):
        named(stack=stack)


def test_adam_s_moments_come_back_as_what_they_were(jax, torch, in_jax, in_torch) -> None:
    from jaxvstorch.examples.pytrees.state import Moments

    def trees(ones, zeros):
        return {"w": ones}, {"w": ones}, Moments({"w": zeros}, {"w": zeros}, zeros.sum())

    arguments = trees(jax.numpy.ones(2), jax.numpy.zeros(2))
    _, moments = jax.jit(in_jax.adam_step)(*arguments, 0.1)
    assert jax.tree.structure(moments) == jax.tree.structure(arguments[2])
    step = torch.compile(in_torch.adam_step, backend="eager", fullgraph=True)
    _, moments = step(*trees(torch.ones(2), torch.zeros(2)), 0.1)
    assert type(moments) is Moments
