"""Functions that draw random numbers are named as such; results have a table and a short repr."""

import random

import numpy as np
import pytest

from jaxvstorch import check_parity

jax = pytest.importorskip("jax", reason="parity compares both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="parity compares both frameworks; no PyTorch here")

X = np.linspace(1, 2, 20, dtype=np.float32)
DRAWS = "NOT COMPARED: it draws random numbers: compare in eval mode, without dropout, or draw"


def jax_dropout(x):
    kept = jax.random.bernoulli(jax.random.key(0), 0.5, x.shape)
    return jax.numpy.where(kept, x * 2, 0)


def torch_seeded(x):
    torch.manual_seed(0)
    return torch.nn.functional.dropout(x)


def double(x):
    return x * 2


@pytest.mark.parametrize("torch_function", [torch_seeded, torch.nn.Dropout()])
def test_two_halves_that_draw(torch_function) -> None:
    report = check_parity(jax_dropout, torch_function, (X,), gradient=(0,))
    assert not report.same
    said = " ".join(str(report).split())
    assert said.startswith(f"jax_function: {DRAWS}")
    assert f"torch_function: {DRAWS}" in said
    assert "DIFFERENT" not in str(report)
    assert repr(report).endswith(" comparisons: jax_function: NOT COMPARED and 1 more>")


def test_another_source_of_numbers() -> None:
    report = check_parity(double, lambda x: x * random.random(), (X,))
    again = "NOT COMPARED: it returns other numbers when it is called again with the same inputs: "
    assert f"torch_function: {again}" in " ".join(str(report).split())
    assert repr(report) == "<Parity of 1 comparison: torch_function: NOT COMPARED>"


def test_drawing_what_changes_nothing_is_the_same() -> None:
    check_parity(double, lambda x: x * 2 + 0 * torch.rand(()), (X,)).require()


def test_a_wrong_shape_is_a_difference_all_the_same() -> None:
    report = check_parity(jax_dropout, lambda x: torch_seeded(x)[:4], (X,))
    assert "jax output 0: DIFFERENT: shape (20,), expected (4,)" in str(report)


def test_a_report_is_a_table_in_a_notebook_and_one_line_as_repr() -> None:
    same, wrong = (check_parity(double, f, (X,)) for f in (double, torch.sin))
    assert repr(same) == "<Parity of 3 comparisons: same>"
    first = "jax float64 output 0: DIFFERENT and 1 more"
    assert repr(wrong) == f"<Parity of 3 comparisons: {first}>"
    table = wrong._repr_html_()
    assert table.count("<tr>") == 4
    assert '<td data-column="verdict">DIFFERENT</td>' in table
    noted = check_parity(double, lambda x: x[:4], (X,))._repr_html_()
    assert ">jax output 0: shape (20,), expected (4,)</p>" in noted
