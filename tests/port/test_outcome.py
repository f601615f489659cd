"""The rounding of a sum is measured by the numbers that it adds up."""

import jax.numpy as jnp
import pytest

import jaxvstorch
from jaxvstorch._port.map.rows import rows

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port.from_jax.primitives import operation  # noqa: E402
from jaxvstorch._port.outcome import (  # noqa: E402
    _PRODUCTS,
    _SUMS,
    compare_results,
    size_of_terms,
)


def test_each_summing_function_exists() -> None:
    unknown = {name for name in _SUMS | _PRODUCTS if name not in rows() and not operation(name)}
    assert unknown == set()


def test_the_size_is_that_of_the_largest_term() -> None:
    x, y = torch.tensor([3.0, -4.0]), torch.tensor([0.5, torch.inf])
    assert size_of_terms("torch.mean", [x, 0]) == 4
    assert size_of_terms("torch.sub", [x, torch.tensor([5])]) == 4
    assert size_of_terms("torch.dot", [x, 2 * x]) == 32
    assert size_of_terms("torch.sum", [y]) == 0
    assert size_of_terms("torch.exp", [x]) == 0
    assert size_of_terms("torch.sum", [torch.ones(0)]) == 0


@pytest.mark.parametrize(("terms", "status"), [(0.0, "differs"), (1.0, "verified")])
def test_a_small_sum_of_large_numbers_may_be_off_by_their_rounding(terms, status) -> None:
    assert compare_results(torch.tensor(3e-6), jnp.array(-2e-6), terms).status == status


def test_a_wrong_sum_still_differs() -> None:
    assert compare_results(torch.tensor(0.02), jnp.array(0.0), 1.0).status == "differs"


def test_centred_numbers_have_the_mean_0() -> None:
    x = torch.linspace(0, 1, 1001) ** 2
    report = jaxvstorch.port(lambda x: (x - x.mean()).mean(), x)
    assert set(report.counts()) == {"verified"}
