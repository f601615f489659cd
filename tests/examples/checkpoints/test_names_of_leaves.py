"""Dotted names, and the error that names all that does not fit."""

import numpy as np
import pytest

pytest.importorskip("jax")

from jaxvstorch.examples.checkpoints.names import (
    MismatchError,
    filled,
    flat,
    require_fit,
)


@pytest.mark.parametrize(
    ("tree", "named"),
    [
        ({"a": {"weight": 1}, "b": {"c": {"weight": 3}}}, {"a.weight": 1, "b.c.weight": 3}),
        ({"layers": [{"w": 1}, {"w": 2}], "no": {}}, {"layers.0.w": 1, "layers.1.w": 2}),
        ({0: {"w": 1}, 1: ({"w": 2}, None)}, {"0.w": 1, "1.0.w": 2}),
        ({"a.b": 1, "a": {"c": 2}}, {"a.b": 1, "a.c": 2}),
        ({}, {}),
    ],
)
def test_filled_undoes_flat(tree, named) -> None:
    assert flat(tree) == named
    assert filled(tree, named) == tree


def test_two_leaves_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"two leaves have the name 'a\.b'"):
        flat({"a.b": 1, "a": {"b": 2}})


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
