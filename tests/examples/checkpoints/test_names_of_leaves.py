"""Dotted names, and the error that names all that does not fit."""

import numpy as np
import pytest

from jaxvstorch.examples.checkpoints.names import MismatchError, flat, nested, require_fit


def test_flat_and_nested_are_each_others_way_back() -> None:
    tree = {"a": {"weight": 1, "bias": 2}, "b": {"c": {"weight": 3}}, "scale": 4}
    named = {"a.weight": 1, "a.bias": 2, "b.c.weight": 3, "scale": 4}
    assert flat(tree) == named
    assert nested(named) == tree


@pytest.mark.parametrize("tree", [{"a.b": 1}, {"x": {"a.b": 1}}])
def test_a_name_with_a_dot_is_refused(tree) -> None:
    with pytest.raises(ValueError, match=r"'a\.b' holds a dot"):
        flat(tree)


def test_the_error_names_all_that_differs() -> None:
    wanted = {"a": np.zeros(2), "b": np.zeros((2, 3)), "c": np.zeros(1), "d": np.zeros(1)}
    found = {"a": np.zeros(2), "b": np.zeros((3, 2)), "c": np.zeros(1, np.float32), "e": np.ones(4)}
    with pytest.raises(MismatchError) as caught:
        require_fit(found, wanted)
    assert str(caught.value).splitlines() == [
        "the checkpoint does not fit",
        "missing: d float64[1]",
        "unexpected: e float64[4]",
        "different: b is float64[3, 2], not float64[2, 3]",
        "different: c is float32[1], not float64[1]",
    ]
    require_fit(wanted, wanted)


def test_arrays_of_both_frameworks_compare() -> None:
    jnp = pytest.importorskip("jax.numpy")
    torch = pytest.importorskip("torch")
    require_fit({"w": torch.zeros(2, dtype=torch.bfloat16)}, {"w": jnp.zeros(2, jnp.bfloat16)})
