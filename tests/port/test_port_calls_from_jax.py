"""What ``jaxvstorch.port`` shows of JAX's calls is what it ran: functions, layers, optimizers."""

import ast
import linecache
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxvstorch

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")
nn = pytest.importorskip("flax.linen", reason="flax is not installed")
pytest.importorskip("optax", reason="optax is not installed")

import optax  # noqa: E402 - port reads what a file imports

X = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4)), jnp.float32)
W = jnp.asarray(np.random.default_rng(1).standard_normal((4, 4)), jnp.float32)
OPTIMIZER = optax.adam(learning_rate=1e-3)
RATE = optax.linear_schedule(0.1, 0.0, 10)
SCHEDULED = optax.sgd(RATE)
CHAIN = optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(0.1, momentum=0.9))


def calls(report) -> dict[str, str | None]:
    """Each verified call; every one has PyTorch's."""
    found = [call for line in report.lines.values() for call in line.calls]
    verified = [call for call in found if call.status == "verified"]
    assert all(call.becomes for call in verified)
    return {call.name: call.becomes for call in verified}


def test_every_call_shows_its_pytorch_which_runs() -> None:
    def function(x, w):
        return (
            jnp.einsum("ij,jk->ik", x, w),
            lax.top_k(x, 2),
            jax.scipy.linalg.solve(w, w[0]),
            lax.rsqrt(jnp.abs(x)),
            jnp.split(x, 2, axis=-1),
            jnp.dot(x, w),
            jax.nn.one_hot(jnp.argmax(x, -1), 4),
            jax.scipy.special.logsumexp(x, axis=0),
            x.mean(axis=0, keepdims=True),
            jnp.concatenate([x, x], axis=1),
        )

    report = jaxvstorch.port(function, X, W)
    assert set(report.counts()) == {"verified"}
    lines = {line.text: list(line.calls)[-1] for line in report.lines.values()}
    from jaxvstorch._port.map import paste_torch

    bound = {"torch": torch, "paste": paste_torch}
    bound |= {name: torch.tensor(np.asarray(value)) for name, value in (("x", X), ("w", W))}
    assert len(lines) == 10
    for expected, call in zip(function(X, W), lines.values(), strict=True):
        ours, theirs = (v if isinstance(v, list | tuple) else [v] for v in (
            eval(call.becomes, bound), expected))  # fmt: skip
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_numbers_become_arrays_where_pytorch_takes_no_numbers() -> None:
    def function(x):
        return x + jnp.log(2) * jax.scipy.special.gammaln(2.0) * jnp.maximum(x, 0)

    shown = calls(jaxvstorch.port(function, X))
    assert shown["jnp.log"] == "torch.log(torch.tensor(2))"
    assert shown["jax.scipy.special.gammaln"] == "torch.lgamma(torch.tensor(2.0))"
    assert shown["jnp.maximum"] == "torch.maximum(x, torch.as_tensor(0))"


def test_a_call_holds_the_pytorch_of_the_calls_in_it() -> None:
    shown = calls(jaxvstorch.port(lambda x: jnp.sum(jnp.exp(x), axis=0).astype(jnp.int32), X))
    assert shown["x.astype"] == "torch.sum(torch.exp(x), dim=0).to(torch.int32)"


def test_functions_under_any_name_are_known() -> None:
    from jax.numpy import sort as in_order

    activation = {"relu": jax.nn.relu}["relu"]
    shown = calls(jaxvstorch.port(lambda x: activation(in_order(x)), X))
    assert shown == {
        "jnp.sort": "torch.sort(x).values",
        "jax.nn.relu": "torch.relu(torch.sort(x).values)",
    }


def test_unpacked_arguments_partials_and_names_of_dtypes() -> None:
    summed = partial(jnp.sum, axis=1)
    options = {"axis": 0, "keepdims": True}

    def function(x):
        both = (x, x)
        return jnp.einsum("ij,ij->i", *both), jnp.mean(x, **options), summed(x).astype("int32")

    shown = calls(jaxvstorch.port(function, X))
    assert shown["jnp.einsum"] == "torch.einsum('ij,ij->i', both[0], both[1])"
    assert shown["jnp.mean"] == ("torch.mean(x, dim=options['axis'], keepdim=options['keepdims'])")
    assert shown["x.astype"] == "torch.sum(x, dim=1).to(torch.int32)"


def test_code_of_any_kind_is_followed() -> None:
    class Scaled:
        def scaled(self, x):
            return jnp.sin(x) * 2

    class Shifted(Scaled):
        def scaled(self, x):
            return super().scaled(x) + (y := jnp.cos(x)) * y

    def rows(x):
        for row in x:
            yield row * 1

    def function(x, scale=jnp.exp):
        match x.ndim:
            case 2:
                x += scale(x)
        halves = alias = np.ones(2)
        alias /= 2  # in place, as NumPy does it
        if halves[0] != 0.5:  # pytest would give a function with an assert another code
            raise ValueError
        return Shifted().scaled(x), [jnp.tanh(row) for row in rows(x)]

    report = jaxvstorch.port(function, X)
    assert set(report.counts()) == {"verified"}
    assert calls(report)["iter"] == "[*x]"
    assert "torch.sin(x) * 2" in str(report)


def test_initializers_have_a_line() -> None:
    def function(key):
        drawn = jax.nn.initializers.normal(0.02)(key, (3, 4))
        return drawn, jax.nn.initializers.constant(0.5)(key, (2,))

    report = jaxvstorch.port(function, jax.random.key(0))
    drawn = "torch.nn.init.normal_(torch.empty((3, 4)), std=0.02, generator=generator)"
    assert f"jax.nn.initializers.normal → {drawn}" in str(report)
    assert calls(report) == {"jax.nn.initializers.constant": "torch.full((2,), 0.5)"}
    assert report.counts() == {"verified": 1, "random": 1}


def test_derivatives_have_a_line() -> None:
    def function(x):
        return jax.hessian(lambda v: jnp.sum(v**3))(x), jax.jacfwd(jnp.sin)(x)

    report = jaxvstorch.port(function, X[0])
    assert "> jax.hessian  done another way: torch.func.hessian(function)(arguments)" in str(report)
    assert "> jax.jacfwd  done another way: torch.func.jacfwd(function)(arguments)" in str(report)


def test_a_wrong_gradient_would_be_found(monkeypatch) -> None:
    from jaxvstorch._port.from_jax import primitives

    monkeypatch.setitem(primitives.SAME, "cos", torch.sin)
    assert jaxvstorch.port(lambda x: jnp.sin(x), X).counts() == {"verified": 1}
    report = jaxvstorch.port(lambda x: jax.grad(lambda v: jnp.sin(v).sum())(x), X)
    assert report.counts()["differs"] == 1
    assert "in an operation of it, or of its gradient" in str(report)


def test_a_call_without_counterpart_is_not_called_verified() -> None:
    report = jaxvstorch.port(lambda x: jnp.sum(x, where=x > 0), X)
    (call,) = (c for line in report.lines.values() for c in line.calls if c.name == "jnp.sum")
    assert (call.status, call.becomes) == ("done another way", None)
    assert "where= has no counterpart" in call.note
    assert "one by one, gave the same" in call.note


@pytest.mark.parametrize(
    "wrap", [jax.vmap, jax.jit, jax.checkpoint, lambda f: jax.vmap(jax.vmap(f))]
)
def test_calls_inside_transformations(wrap) -> None:
    def function(x):
        return jnp.tanh(x) * 2

    x = X[:, :, None] if wrap(function).__name__ != "function" else X
    shown = calls(jaxvstorch.port(lambda x: wrap(function)(x), x))
    assert shown == {"jnp.tanh": "torch.tanh(x)", "operator": "torch.tanh(x) * 2"}


def test_functions_that_a_transformation_calls() -> None:
    shown = calls(jaxvstorch.port(lambda x: jax.vmap(jnp.dot, in_axes=(0, None))(x, x[0]), X))
    assert shown["jnp.dot"] == "torch.tensordot(a, b, dims=([0], [0]))"
    shown = calls(jaxvstorch.port(lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), X))
    assert shown["lax.cond"] == "torch.sin(x) if x[0, 0] > 0 else torch.cos(x)"


class Block(nnx.Module):
    """A transformer's block."""

    def __init__(self, size, rngs):
        self.norm = nnx.LayerNorm(size, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(2, size, decode=False, rngs=rngs)
        self.layers = nnx.Sequential(nnx.Linear(size, 8, rngs=rngs), nnx.gelu)
        self.scale = nnx.Param(jnp.ones(8))

    def __call__(self, x):
        """All of it."""
        mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))[None, None]
        return self.layers(x + self.attention(self.norm(x), mask=mask)) * self.scale


def test_layers_of_flax_nnx() -> None:
    report = jaxvstorch.port(Block(4, nnx.Rngs(0)), X[None])
    assert set(report.counts()) == {"verified"}
    shown = calls(report)
    assert shown["nnx.LayerNorm"] == "torch.nn.LayerNorm(4, 1e-06)(x)"
    assert shown["nnx.Linear"] == "torch.nn.Linear(4, 8)(inputs)"
    assert shown["nnx.MultiHeadAttention"].startswith(
        "torch.nn.MultiheadAttention(4, 2, batch_first=True)(self.norm(x), self.norm(x)"
    )
    assert shown["operator"].endswith(" * self.scale")


class Net(nn.Module):
    """A convolutional network."""

    @nn.compact
    def __call__(self, x):
        """All of it."""
        x = nn.relu(nn.Conv(2, (3, 3), strides=2)(x))
        x = nn.BatchNorm(use_running_average=True)(nn.max_pool(x, (2, 2)))
        return nn.Dense(features=2)(x.reshape(len(x), -1))


def test_layers_of_flax_linen() -> None:
    net, x = Net(), X.reshape(1, 3, 4, 1).repeat(2, 1)
    variables = net.init(jax.random.key(0), x)
    report = jaxvstorch.port(lambda v, x: net.apply(v, x), variables, x)
    assert set(report.counts()) == {"verified"}
    shown = calls(report)
    assert shown["flax.linen.Conv"].startswith("torch.nn.Conv2d(1, 2, (3, 3), 2)(torch.nn.")
    assert shown["flax.linen.Dense"] == "torch.nn.Linear(4, 2)(x.reshape(len(x), -1))"
    assert shown["flax.linen.BatchNorm"].startswith("torch.nn.BatchNorm1d(2, 1e-05, 1 - 0.99)(")


def test_layers_of_equinox() -> None:
    eqx = pytest.importorskip("equinox", reason="equinox is not installed")
    keys = jax.random.split(jax.random.key(0), 3)
    mlp = eqx.nn.MLP(4, 2, 8, 2, key=keys[0])
    conv = eqx.nn.Conv2d(1, 2, 3, padding=1, key=keys[1])
    norm = eqx.nn.LayerNorm(4)

    def function(mlp, conv, norm, x):
        return jax.vmap(mlp)(x), conv(x[None]), norm(x[0])

    report = jaxvstorch.port(function, mlp, conv, norm, X)
    assert set(report.counts()) == {"verified"}
    shown = calls(report)
    assert shown["equinox.nn.Conv2d"] == "torch.nn.Conv2d(1, 2, (3, 3), 1, 1)(x[None])"
    assert shown["equinox.nn.LayerNorm"] == "torch.nn.LayerNorm(4)(x[0])"
    assert shown["equinox.nn.MLP"] == (
        "torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8), "
        "torch.nn.ReLU(), torch.nn.Linear(8, 2))(x)"
    )


def test_an_mlp_of_equinox_with_one_number_for_each_example() -> None:
    eqx = pytest.importorskip("equinox", reason="equinox is not installed")
    mlp = eqx.nn.MLP(4, "scalar", 8, 1, key=jax.random.key(0))
    report = jaxvstorch.port(lambda mlp, x: jax.vmap(mlp)(x), mlp, X)
    assert set(report.counts()) == {"verified"}
    assert calls(report)["equinox.nn.MLP"] == (
        "torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), "
        "torch.nn.Linear(8, 1))(x).squeeze(-1)"
    )


def test_a_step_of_training() -> None:
    def step(params, state, x):
        value, grads = jax.value_and_grad(lambda p: jnp.mean((x @ p) ** 2))(params)
        updates, state = OPTIMIZER.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    state = OPTIMIZER.init(W)
    report = jaxvstorch.port(step, W, state, X)
    found = {c.name: c for line in report.lines.values() for c in line.calls}
    assert "loss.backward()" in found["jax.value_and_grad"].note
    assert found["jax.value_and_grad"].status == "done another way"
    assert found["optax.adam.update"].becomes == "torch.optim.Adam(params, lr=0.001)"
    assert found["optax.adam.update"].status == "verified"
    later = jax.tree.map(lambda leaf: leaf + 1, state)  # not the first step
    report = jaxvstorch.port(step, W, later, X)
    found = {c.name: c for line in report.lines.values() for c in line.calls}
    assert found["optax.adam.update"].status == "done another way"


def test_a_schedule_is_one_of_pytorch_s() -> None:
    def step(grads, state):
        return SCHEDULED.update(grads, state)

    report = jaxvstorch.port(step, W, SCHEDULED.init(W))
    (call,) = (c for line in report.lines.values() for c in line.calls)
    assert call.becomes == "torch.optim.SGD(params, lr=1.0)"
    assert "the rate: torch.optim.lr_scheduler.LambdaLR(optimizer" in call.note


def test_an_optimizer_of_several_parts() -> None:
    def step(grads, state):
        return CHAIN.update(grads, state)

    report = jaxvstorch.port(step, W, CHAIN.init(W))
    (call,) = (c for line in report.lines.values() for c in line.calls)
    assert call.becomes == "torch.optim.SGD(params, lr=0.1, momentum=0.9)"
    assert "torch.nn.utils.clip_grad_norm_" in call.note


def test_the_reader_s_functions_stay_as_they_were() -> None:
    before = Block.__call__.__code__
    jaxvstorch.port(Block(4, nnx.Rngs(0)), X[None])
    assert Block.__call__.__code__ is before


def test_a_notebook_compiles_each_statement_of_a_cell() -> None:
    text = "import jax.numpy as jnp\n\ndef cell(x):\n    return jnp.sin(x)\n"
    linecache.cache["<a cell>"] = (len(text), None, text.splitlines(True), "<a cell>")
    bound: dict = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), "<a cell>", "exec"), bound)
    assert calls(jaxvstorch.port(bound["cell"], X)) == {"jnp.sin": "torch.sin(x)"}


def test_code_whose_source_cannot_be_read_has_operations_alone() -> None:
    bound = {"jnp": jnp}
    exec("def function(x):\n    return jnp.sin(x)\n", bound)
    report = jaxvstorch.port(bound["function"], X)
    (call,) = (c for line in report.lines.values() for c in line.calls)
    assert (call.name, call.status) == ("sin", "done another way")
    assert "The source of function is not what runs" in str(report)
    assert jaxvstorch.port(lambda x: jnp.sin(x), X).notes == []
