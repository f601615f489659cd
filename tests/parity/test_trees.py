"""Functions of dicts, lists and tuples of arrays, and functions that return them."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest

from jaxvstorch._parity import check_parity

jnp = pytest.importorskip("jax.numpy", reason="parity needs both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="parity needs both frameworks; PyTorch is not")

State = namedtuple("State", "mean count")
W, B = np.arange(1, 7, dtype=np.float32).reshape(2, 3), np.arange(2, dtype=np.float32)
PARAMS = {"w": W, "inner": [{"b": B}, (B + 1,)]}


def affine(params):
    inner = params["inner"]
    return params["w"].sum() * inner[0]["b"] * inner[1][0]


def test_arrays_in_containers_are_converted_and_differentiated() -> None:
    report = check_parity(affine, affine, (PARAMS,), reference=affine, gradient=(0,))
    report.require()
    gradients = [c.what for c in report.comparisons if c.what.startswith("jax gradient")]
    assert gradients == ["jax gradient 0", "jax gradient 1", "jax gradient 2"]  # one per array
    check_parity(affine, affine, (PARAMS,), gradient=(0,)).require()  # without a reference


def test_a_wrong_gradient_of_one_leaf_is_found() -> None:
    def without_w(params):
        return affine({"w": params["w"].detach(), "inner": params["inner"]})

    report = check_parity(affine, without_w, (PARAMS,), reference=affine, gradient=(0,))
    wrong = [comparison.what for comparison in report.comparisons if not comparison.same]
    assert wrong == ["torch float64 gradient along a random direction", "jax gradient 2"]


def test_containers_come_back_in_any_order_of_keys() -> None:
    def forward(x):
        return {"a": x, "b": [2 * x, {"c": 3 * x}]}

    def backward(x):
        return OrderedDict(b=(2 * x, {"c": 3 * x}), a=x)

    for reference in (forward, None):
        check_parity(forward, backward, (B,), reference=reference, gradient=(0,)).require()


def test_a_namedtuple_stays_one_on_the_way_in() -> None:
    def mean(state):
        return state.mean / state.count

    check_parity(mean, mean, (State(W, 3),), reference=mean).require()


def test_another_key_is_another_answer() -> None:
    report = check_parity(
        lambda x: {"a": x}, lambda x: {"b": x}, (B,), reference=lambda x: {"a": x}
    )
    (wrong,) = [comparison for comparison in report.comparisons if not comparison.same]
    assert str(wrong) == "torch place of output 0: DIFFERENT: ['b'], expected ['a']"


def test_float64_inside_a_container_turns_jax_s_64_bit_types_on() -> None:
    wide = {"w": W.astype(np.float64)}

    def triple(d):
        return {"out": d["w"] / 3}

    report = check_parity(triple, triple, (wide,), reference=triple)
    report.require()
    assert {comparison.dtype for comparison in report.comparisons} == {"float64"}
