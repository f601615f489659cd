"""Uses of names are counted under the names that the map gives them."""

import pytest

from jaxvstorch._port.map.rows import jax_rows
from tools.count_names import canonical, count, row_of


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("jax.numpy.sum", "jnp.sum"),
        ("jax.lax.Precision.HIGHEST", "lax.Precision"),
        ("flax.nnx.Linear", "nnx.Linear"),
        ("jax.no_such_name", None),
    ],
)
def test_counted_names_lead_to_rows(name, row) -> None:
    found = row_of(canonical(name), jax_rows())
    assert (found.name if found else None) == row


def test_a_use_counts_under_whatever_alias(tmp_path) -> None:
    (tmp_path / "module.py").write_text(
        "import jax.numpy as np\nfrom jax import lax as l, random\nimport optax\n"
        "def f(x):\n    return np.sum(l.exp(x)) + np.sum(random.normal(x)) + x._private\n"
    )
    assert count(tmp_path, ("jnp", "lax", "jax", "optax")) == {
        "jnp.sum": 2, "lax.exp": 1, "jax.random.normal": 1,
    }  # fmt: skip
