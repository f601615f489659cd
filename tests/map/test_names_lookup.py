"""Names as people write them."""

import pytest

from jaxvstorch._port.map.lookup import find, nearest
from jaxvstorch._port.map.pasting import to_paste
from jaxvstorch._port.map.rows import rows


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("torch.gather", "torch.gather"),
        ("gather", "torch.gather"),
        ("F.relu", "torch.nn.functional.relu"),
        ("nn.Linear", "torch.nn.Linear"),
        ("Linear", "torch.nn.Linear"),
        ("torch.Tensor.sum", "Tensor.sum"),
        ("torch.gather()", "torch.gather"),
        ("jnp.cumsum", "torch.cumsum"),
        ("jax.numpy.cumsum", "torch.cumsum"),
        ("lax.top_k", "torch.topk"),  # what people write first
        ("jnp.take_along_axis", "torch.gather"),
        ("jax.jit", "torch.compile"),  # in what people do instead
        ("jax.random.key", "torch.manual_seed"),
        ("jnp.matmul", "torch.matmul"),  # an operator in the map
        ("np.add", "torch.add"),
        ("jnp.no_such_name", None),
        ("optimizer.zero_grad", "Optimizer.zero_grad"),
        ("self.layer.weight.view", "Tensor.view"),
        ("nn.Module.parameters", "Module.parameters"),
        ("torch.no_such_name", None),
        ("lax.no_such_name", None),
    ],
)
def test_find(typed, expected) -> None:
    names = [row.name for row in find(typed)]
    assert (expected in names) if expected else not names


def test_the_plainest_row_of_a_jax_name_comes_first() -> None:
    assert find("jnp.sum")[0].name == "torch.sum"


def test_an_unknown_name_has_neighbours() -> None:
    assert find("torch.gahter") == []
    assert "torch.gather" in nearest("torch.gahter")
    assert nearest("torch.GATHER") == ["torch.gather"]
    assert nearest("gathr")[0].endswith("gather")
    assert "cross_entropy" in nearest("_entrop")


def test_a_pasted_function_comes_with_what_it_calls() -> None:
    assert set(to_paste(rows()["torch.scatter_add"])) == {"scatter", "_positions"}


def test_a_name_is_a_string() -> None:
    with pytest.raises(TypeError, match=r"a string such as 'torch.gather', not 3"):
        find(3)
