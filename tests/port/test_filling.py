"""The map's expressions, filled with a program's own arguments."""

import ast

import pytest

from jaxvstorch._port.filling import filled
from jaxvstorch._port.folding import folded
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.simplifying import simplified


@pytest.mark.parametrize("text", ["9**9**9", "'a' * 10**10", "1 << 10**9"])
def test_what_takes_long_to_compute_is_left_as_it_is(text) -> None:
    node = ast.parse(text, mode="eval").body
    assert folded(node) is node


@pytest.mark.parametrize(
    ("name", "written", "becomes"),
    [
        ("torch.cat", "torch.cat((x, y), 1)", "jnp.concatenate((x, y), axis=1)"),
        ("torch.ones", "torch.ones(4, 4)", "jnp.ones((4, 4))"),
        ("torch.ones", "torch.ones(n)", "jnp.ones(n)"),
        ("torch.zeros", "torch.zeros(n, m, dtype=torch.long)", "jnp.zeros((n, m), int)"),
        ("torch.arange", "torch.arange(n)", "jnp.arange(n)"),
        ("torch.arange", "torch.arange(0, n, 2)", "jnp.arange(0, n, 2)"),
        ("Tensor.index_add", "x.index_add(0, i, y)", "x.at[i].add(y)"),
        ("torch.randn", "torch.randn(8)", "jax.random.normal(key, (8,))"),
        ("torch.rand", "torch.rand(2, n)", "jax.random.uniform(key, (2, n))"),
        ("torch.randint", "torch.randint(50, (2, 16))", "jax.random.randint(key, (2, 16), 0, 50)"),
        (
            "torch.randint",
            "torch.randint(1, n + 1, (m,))",
            "jax.random.randint(key, (m,), 1, n + 1)",
        ),
        ("torch.nn.functional.linear", "F.linear(x, w)", "x @ w.T"),
        (
            "torch.nn.init.normal_",
            "nn.init.normal_(p, mean=0.0, std=0.02)",
            "0.02 * jax.random.normal(key, p.shape, p.dtype)",
        ),
        ("Tensor.div", "x / y", "x / y"),
        ("Tensor.div", "x.div(y)", "jnp.true_divide(x, y)"),
        ("Tensor.permute", "x.permute(0, -1, 1)", "jnp.transpose(x, (0, -1, 1))"),
        ("Tensor.permute", "x.permute(*axes)", "jnp.transpose(x, (*axes,))"),
        ("Tensor.view", "x.view(*y.shape[:2], n, -1)", "x.reshape(*y.shape[:2], n, -1)"),
        ("Tensor.var", "x.var(dim=1)", "jnp.var(x, axis=1, ddof=1)"),
        ("Tensor.size", "x.size(0)", "x.shape[0]"),
        # A program's own 0 and 1 turn flags into numbers, and 1.0 whole numbers into others.
        ("Tensor.mul", "(x > 0) * 1", "(x > 0) * 1"),
        ("torch.add", "torch.add(x > 0, 0)", "(x > 0) + 0"),
        ("torch.add", "torch.add(x, y, alpha=1)", "x + y"),
        ("torch.sigmoid", "torch.sigmoid(n)", "jax.nn.sigmoid(1.0 * n)"),
        ("Tensor.mul", "jax.random.randint(key, (2,), 0, 9) * 1.0",
         "jax.random.randint(key, (2,), 0, 9) * 1.0"),
        # Names that PyTorch takes for its own, and one that it does not take.
        ("torch.zeros", "torch.zeros(size=(2, 3))", "jnp.zeros((2, 3))"),
        ("torch.rand", "torch.rand(size=(2, n))", "jax.random.uniform(key, (2, n))"),
        ("torch.sum", "torch.sum(x, axis=1, keepdims=True)", "jnp.sum(x, axis=1, keepdims=True)"),
        ("torch.sum", "torch.sum(x, place=1)",
         "jnp.sum(input, axis=None if dim in ((), []) else dim, keepdims=keepdim, dtype=dtype)"),
        ("torch.promote_types", "torch.promote_types(torch.int64, t)",
         "jnp.promote_types(jnp.int64, t)"),
        # The map's own variables give way to the program's.
        ("torch.optim.lr_scheduler.LambdaLR", "LambdaLR(o, lambda e: step ** e)",
         "lambda step_: lr * (lambda e: step ** e)(step_)"),
    ],
)  # fmt: skip
def test_a_call_becomes(name, written, becomes) -> None:
    assert filled(name, ast.parse(written, mode="eval").body) == becomes


@pytest.mark.parametrize(
    ("type_name", "becomes"),
    [
        ("int", "jax.random.normal(key, (n,))"),
        ("tuple", "jax.random.normal(key, n)"),
        ("", "jax.random.normal(key, n if not isinstance(n, int) else (n,))"),
    ],
)
def test_the_type_of_an_argument_decides(type_name, becomes) -> None:
    assert (
        filled("torch.randn", ast.parse("torch.randn(n)", mode="eval").body, (type_name,))
        == becomes
    )


def test_unpacked_arguments_leave_the_map_s_expression() -> None:
    row = rows()["torch.nn.functional.pad"].expression
    assert filled("torch.nn.functional.pad", ast.parse("F.pad(x, *more)", mode="eval").body) == row


@pytest.mark.parametrize(
    ("name", "settings", "becomes"),
    [
        ("SGD", {"lr": 0.1}, "optax.sgd(0.1)"),
        ("SGD", {"lr": 0.1, "momentum": 0.9}, "optax.sgd(0.1, 0.9)"),
        (
            "SGD",
            {"weight_decay": 0.01},
            "optax.chain(optax.add_decayed_weights(0.01), optax.sgd(0.001))",
        ),
        ("Adam", {}, "optax.adam(0.001)"),
        ("Adam", {"betas": (0.5, 0.999)}, "optax.adam(0.001, 0.5)"),
        ("AdamW", {}, "optax.adamw(0.001, weight_decay=0.01)"),
    ],
)
def test_an_optimizer_becomes(name, settings, becomes) -> None:
    row = rows()[f"torch.optim.{name}"]
    values = {key: value for key, value in row.parameters.items() if value is not None}
    values |= {key: ast.parse(repr(value), mode="eval").body for key, value in settings.items()}
    expression = ast.parse(row.expression or "", mode="eval").body
    assert ast.unparse(simplified(expression, values)) == becomes


def test_filling_leaves_the_program_s_own_code_as_it_is() -> None:
    call = ast.parse("torch.zeros(3, dtype=torch.long)", mode="eval").body
    before = ast.dump(call)
    filled("torch.zeros", call)
    assert ast.dump(call) == before


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("x.sum(axis=None, keepdims=False)", "x.sum()"),
        ("self.heads.mean(None)", "self.heads.mean()"),
        ("x.reshape(2, None)", "x.reshape(2, None)"),
        ("jnp.array(x, None)", "jnp.array(x)"),
        ("jnp.maximum(x, None)", "jnp.maximum(x, None)"),
        ("jnp.arange(0, n, 1)", "jnp.arange(0, n)"),
        ("jnp.arange(n, None, 1)", "jnp.arange(n)"),
        ("jnp.sum(*x, None)", "jnp.sum(*x, None)"),
        ("jax.nn.softmax(x, axis=None)", "jax.nn.softmax(x, axis=None)"),
        ("lax.index_in_dim(x, 0, 1, keepdims=False)", "lax.index_in_dim(x, 0, 1, keepdims=False)"),
        ("nnx.Linear(2, 3, use_bias=True, rngs=rngs)", "nnx.Linear(2, 3, rngs=rngs)"),
        ("optax.adam(0.1, 0.9, 0.999, 1e-08)", "optax.adam(0.1)"),
        ("optax.adam(0.1, 0.9, 0.99, 1e-08)", "optax.adam(0.1, 0.9, 0.99)"),
        ("unknown(x, axis=None)", "unknown(x, axis=None)"),
    ],
)
def test_defaults_of_the_function_are_left_out(written, becomes) -> None:
    assert ast.unparse(simplified(_call(written), {})) == becomes


def _call(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def test_a_default_of_other_functions_stays() -> None:
    assert filled("Tensor.select", _call("x.select(1, 0)")) == (
        "lax.index_in_dim(x, 0, 1, keepdims=False)"
    )
    assert "axis=None" in (
        filled("torch.take_along_dim", _call("torch.take_along_dim(x, i)")) or ""
    )
