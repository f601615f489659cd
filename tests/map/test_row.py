"""How a line of the map is written, and what is refused."""

import pytest

from jaxvstorch._port.map.row import LineError, parse


def test_a_function() -> None:
    row = parse(
        "torch.std(input, dim=None, *, keepdim=False) => jnp.std(input, dim, keepdims=keepdim)"
    )
    assert row.name == "torch.std"
    assert list(row.parameters) == ["input", "dim", "keepdim"]
    assert row.jax_names == ("jnp.std",)
    assert row.call == "torch.std(input, dim=None, *, keepdim=False)"


def test_a_module_is_called_twice() -> None:
    row = parse("torch.nn.Softmax(dim=None)(input) => jax.nn.softmax(input, axis=dim)")
    assert (row.made, row.called) == ("dim=None", "input")
    made = eval(row.source("(input, dim)"))
    assert made(dim=1)(2) == (2, 1)


def test_a_constant_is_not_called() -> None:
    assert parse("torch.float32 => jnp.float32").parameters == {}


def test_an_attribute_of_a_tensor_is_read_from_self() -> None:
    row = parse("Tensor.ndim => self.ndim")
    assert row.attribute
    assert row.call == "Tensor.ndim"
    assert list(row.parameters) == ["self"]


def test_a_form() -> None:
    assert parse("Tensor.sum = torch.sum").form_of == "torch.sum"


def test_options_follow_the_expression() -> None:
    row = parse("torch.f(x, y=1, z=2) => jnp.f(x) ; first: jnp.g(x) ; refused: y ; needless: z")
    assert row.option("first") == "jnp.g(x)"
    assert (row.refused, row.needless) == (("y",), ("z",))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("torch.softmax(input, dim, dtype=None) => jax.nn.softmax(input, dim)", "refuse dtype"),
        ("torch.f(x) => jnp.f(x) ; refused: y", "names y, which it does not take"),
        ("torch.f(x) => jnp.f(", "not a Python expression"),
        ("torch.f(x) => jnp.f(x) ; firts: jnp.g(x)", "'firts' is none of first"),
        ("torch.f(x => jnp.f(x)", "does not end with a bracket"),
        ("torch.f(x y) => jnp.f(x)", "not parameters"),
        ("torch.f(x) => nothing", "say after `instead:`"),
        ("torch.f(x) => nothing ; instead: g ; recipe: cooking", "no recipe 'cooking'"),
        ("torch.f(x)", "neither"),
    ],
)
def test_a_malformed_line_says_why(line, message) -> None:
    with pytest.raises(LineError, match=message):
        parse(line)
