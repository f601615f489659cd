"""``jaxvstorch.port`` on functions of JAX: each operation done in PyTorch, with source lines."""

import linecache
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxvstorch

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

X = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4)), jnp.float32)
N = jnp.asarray([[3, 0], [1, 1], [2, 3]])


def becomes(report) -> dict[str, str | None]:
    return {call.name: call.becomes for line in report.lines.values() for call in line.calls}


def test_each_line_says_what_it_is_in_pytorch() -> None:
    def function(x, n):
        y = jnp.take_along_axis(x, n, axis=1)
        z = jnp.std(y, axis=-1)
        return jax.nn.softmax(z, axis=-1) @ jnp.ones(3)

    report = jaxvstorch.port(function, X, N)
    found = becomes(report)
    assert found["jnp.take_along_axis"] == "torch.take_along_dim(x, n, dim=1)"
    assert found["jnp.std"] == "torch.std(y, dim=-1, correction=0)"  # PyTorch's own default is 1
    assert found["jax.nn.softmax"] == "torch.softmax(z, -1)"
    assert set(report.counts()) == {"verified"}
    texts = [line.text for _, lines in report.files() for line in lines]
    assert texts[0] == "y = jnp.take_along_axis(x, n, axis=1)"


def test_what_a_call_becomes_runs_in_pytorch() -> None:
    def function(x):
        return (
            jax.nn.gelu(x),
            jnp.sum(x, axis=0, keepdims=True),
            jnp.std(x, axis=-1),
            jnp.clip(x, 0.5),
            jnp.sort(x, axis=0),
            jnp.where(x > 0, x, 0.0),
            jnp.cumsum(x, axis=1),
            jnp.linalg.norm(x, axis=1),
            jax.nn.leaky_relu(x, 0.2),
        )

    found = becomes(jaxvstorch.port(function, X))
    del found["operator"]
    assert found["jax.nn.gelu"] == "torch.nn.functional.gelu(x, approximate='tanh')"
    assert found["jnp.sum"] == "torch.sum(x, dim=0, keepdim=True)"
    assert found["jnp.where"] == "torch.where(x > 0, x, 0.0)"
    bound = {"torch": torch, "x": torch.tensor(np.asarray(X))}
    assert len(found) == 9
    for expected, text in zip(function(X), found.values(), strict=True):
        np.testing.assert_allclose(eval(text, bound), expected, rtol=1e-5, atol=1e-6)


def test_a_cell_of_a_notebook_may_import_in_another_cell(monkeypatch) -> None:
    text = "def cell(x):\n    return jnp.sort(x)\n"
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
    bound = {"jnp": jnp}
    exec(compile(text, "<cell>", "exec"), bound)
    monkeypatch.setattr(sys.modules["__main__"], "jnp", jnp, raising=False)
    report = jaxvstorch.port(bound["cell"], X)
    assert becomes(report) == {"jnp.sort": "torch.sort(x)[0]"}


def test_what_is_computed_again_is_looked_into() -> None:
    def function(x):
        return jax.checkpoint(lambda y: jnp.sin(y) * 2)(x).sum()

    for called in (function, jax.grad(function)):
        assert set(jaxvstorch.port(called, X).counts()) == {"verified"}


OPERATIONS = {
    "indexing": lambda x, n: (x[:, ::-1], x[1], x[N[:, 0] % 3], x[-1, 1:3]),
    "a place outside": lambda x, n: (x.at[7].get(mode="fill"), x.at[7].get(mode="clip")),
    "updates": lambda x, n: (x.at[0].set(1.0), x.at[n % 3].add(1.0), x.at[9].set(2.0, mode="drop")),
    "slices": lambda x, n: lax.dynamic_update_slice(x, x[:2, :2] * 2, (9, n[0, 1])),
    "reductions": lambda x, n: (x.sum(), x.max(0), x.prod(1), x.argmax(1), (x > 0).any(0), x.var()),
    "products": lambda x, n: (x @ x.T, jnp.einsum("ij,kj->ik", x, x), jnp.tensordot(x, x, 2)),
    "order": lambda x, n: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.top_k(x, 2), jnp.median(x)),
    "shapes": lambda x, n: (x.reshape(2, 6), x.T, jnp.pad(x, ((1, 0), (0, 2))), jnp.roll(x, 1, 1)),
    "numbers": lambda x, n: (
        n // 2,
        n % 2,
        -n // 2,
        jnp.round(x),
        jnp.sign(x),
        x**2,
        abs(x) ** 0.5,
    ),
    "sums": lambda x, n: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cumsum(x, 0, reverse=True)),
    "casts": lambda x, n: (x.astype(jnp.bfloat16), n.astype(bool), (x > 0).astype(int)),
    "functions": lambda x, n: (jax.nn.gelu(x), jnp.tanh(x), lax.rsqrt(x**2), jnp.logaddexp(x, 1.0)),
    "convolution": lambda x, n: lax.conv_general_dilated(
        x[None, None], jnp.ones((2, 1, 2, 2)), (1, 2), "SAME", rhs_dilation=(1, 2)
    ),
    "a gradient": lambda x, n: jax.grad(lambda x: jnp.tanh(x @ x.T)[n % 3, 1].sum())(x),
    "of a batch": lambda x, n: jax.vmap(lambda row, place: row[place])(x, n),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_give_the_same_in_pytorch(name) -> None:
    report = jaxvstorch.port(OPERATIONS[name], X, N)
    assert set(report.counts()) == {"verified"}, report


def test_loops_are_python_in_pytorch() -> None:
    def looped(x):
        y, _ = lax.scan(lambda c, row: (c * 0.5 + row, None), x[0], x)
        z = lax.while_loop(lambda z: z.sum() < 50, lambda z: z * 2 + 1, y)
        return lax.cond(z[0] > 0, jnp.sin, jnp.cos, z)

    report = jaxvstorch.port(looped, X)
    notes = " ".join(call.note for line in report.lines.values() for call in line.calls)
    assert "`for` loop" in notes
    assert "`while` loop" in notes
    assert "`if`" in notes
    assert set(report.counts()) == {"verified", "done otherwise"}


def test_an_operation_of_a_loop_is_done_so_often_and_no_more() -> None:
    report = jaxvstorch.port(lambda x: lax.fori_loop(0, 50, lambda i, y: y * 1.1, x), X, limit=3)
    assert report.beyond > 40


def test_a_jitted_function_of_the_readers_has_its_own_lines() -> None:
    @jax.jit
    def inner(x):
        return jnp.exp(x)

    report = jaxvstorch.port(lambda x: inner(x) + inner(2 * x), X)
    assert "return jnp.exp(x)" in [line.text for line in report.lines.values()]


def test_random_numbers_are_said() -> None:
    report = jaxvstorch.port(lambda x: x + jax.random.normal(jax.random.key(0), x.shape), X)
    assert "generator" in str(report)
    assert report.counts()["random"] == 2


def test_what_is_not_known_is_said() -> None:
    report = jaxvstorch.port(lambda x: lax.population_count(x), N)
    assert report.counts() == {"not in the map": 1}
    assert "the operation population_count" in str(report)


def test_a_wrong_operation_would_be_found(monkeypatch) -> None:
    import torch

    from jaxvstorch.porter.from_jax import primitives

    monkeypatch.setitem(primitives._SAME, "tanh", torch.sin)
    assert jaxvstorch.port(lambda x: jnp.tanh(x), X).counts() == {"differs": 1}


def test_places_that_pytorch_takes_otherwise() -> None:
    places = jnp.array([0, 2, 2])
    outside = jnp.array([0, 9, 1])

    def indexed(x, v):
        a = x.at[places].add(v)
        b = x[outside]
        c = x.at[outside].set(v, mode="drop")
        d = x[:, ::-1]
        e = x.at[places].min(v)
        f = x[::-2]
        return a, b, c, d, e, f

    report = jaxvstorch.port(indexed, jnp.ones((4, 3)), jnp.ones((3, 3)))
    found = {line.text[0]: next(iter(line.calls)) for line in report.lines.values()}
    assert found["a"].becomes == "x.index_put_((places,), v, accumulate=True)"
    assert "twice" in found["a"].note
    assert found["b"].becomes is None
    assert "out of range" in found["b"].note
    assert found["c"].becomes is None
    assert found["d"].becomes == "torch.flip(x, (1,))"
    assert found["e"].becomes is None
    assert found["f"].becomes is None


def test_an_error_of_tracing_names_the_reader_s_function() -> None:
    def branches(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(jax.errors.TracerBoolConversionError, match="branches"):
        jaxvstorch.port(branches, jnp.ones(3))
