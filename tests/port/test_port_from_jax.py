"""``jaxvstorch.port`` on functions of JAX: each operation done in PyTorch, with source lines."""

import linecache
import sys
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from framework_versions import has
from jax import lax

import jaxvstorch

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")

from jaxvstorch._port.from_jax.interpreter import Interpreter  # noqa: E402
from jaxvstorch._port.map.rows import jax_rows  # noqa: E402

X = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4)), jnp.float32)
N = jnp.asarray([[3, 0], [1, 1], [2, 3]])


def becomes(report) -> dict[str, str | None]:
    return {call.name: call.becomes for line in report.lines.values() for call in line.calls}


def test_each_line_has_its_pytorch_call() -> None:
    def function(x, n):
        y = jnp.take_along_axis(x, n, axis=1)
        z = jnp.std(y, axis=-1)
        return jax.nn.softmax(z, axis=-1) @ jnp.ones(3)

    report = jaxvstorch.port(function, X, N)
    pytorch = becomes(report)
    assert pytorch["jnp.take_along_axis"] == "torch.take_along_dim(x, n.long(), dim=1)"
    assert pytorch["jnp.std"] == "torch.std(y, dim=-1, correction=0)"  # PyTorch's own default is 1
    assert pytorch["jax.nn.softmax"] == "torch.softmax(z, dim=-1)"
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

    pytorch = becomes(jaxvstorch.port(function, X))
    del pytorch["operator"]
    assert pytorch["jax.nn.gelu"] == "torch.nn.functional.gelu(x, approximate='tanh')"
    assert pytorch["jnp.sum"] == "torch.sum(x, dim=0, keepdim=True)"
    assert pytorch["jnp.where"] == "torch.where(x > 0, x, 0.0)"
    bound = {"torch": torch, "x": torch.tensor(np.asarray(X))}
    assert len(pytorch) == 9
    for expected, text in zip(function(X), pytorch.values(), strict=True):
        np.testing.assert_allclose(eval(text, bound), expected, rtol=1e-5, atol=1e-6)


def test_a_cell_of_a_notebook_may_import_in_another_cell(monkeypatch) -> None:
    text = "def cell(x):\n    return jnp.sort(x)\n"
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
    bound = {"jnp": jnp}
    exec(compile(text, "<cell>", "exec"), bound)
    monkeypatch.setattr(sys.modules["__main__"], "jnp", jnp, raising=False)
    report = jaxvstorch.port(bound["cell"], X)
    assert becomes(report) == {"jnp.sort": "torch.sort(x).values"}


def test_checkpointed_code_is_replayed() -> None:
    def function(x):
        return jax.checkpoint(lambda y: jnp.sin(y) * 2)(x).sum()

    assert set(jaxvstorch.port(function, X).counts()) == {"verified"}
    report = jaxvstorch.port(jax.grad(function), X)
    assert report.counts() == {"verified": 3, "done another way": 1}
    assert "> jax.grad  done another way: loss.backward()" in str(report)


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
    assert set(report.counts()) == {"verified", "done another way"}


def test_a_batch_of_loops_ends_one_by_one() -> None:
    doubled = jax.vmap(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2 + 1, x))
    values = jnp.array([1.0, 3.0, 20.0])
    report = jaxvstorch.port(lambda x: doubled(x) + 1, values)
    assert set(report.counts()) == {"verified", "done another way"}
    assert "`while` loop" in str(report)


def test_a_loop_without_steps_has_empty_results() -> None:
    def looped(x):
        return lax.map(jnp.sin, x[:0]).sum() + lax.scan(lambda c, y: (c, y), 0.0, x[:0])[1].sum()

    assert set(jaxvstorch.port(looped, X).counts()) == {"verified", "done another way"}


@pytest.mark.parametrize(
    "function",
    [lambda x: jnp.searchsorted(x, 1.5), lambda x: jnp.nonzero(x, size=3)],
    ids=["searchsorted", "nonzero"],
)
def test_a_function_of_jax_can_be_one_operation_from_jax_0_12_on(function) -> None:
    def names(jaxpr) -> set[str]:
        inner = [names(eqn.params["jaxpr"]) for eqn in jaxpr.eqns if "jaxpr" in eqn.params]
        return {eqn.primitive.name for eqn in jaxpr.eqns}.union(*inner)

    x = jnp.arange(4.0)
    assert ("call_hi_primitive" in names(jax.make_jaxpr(function)(x))) == has("jax", "0.12")
    sized = function.__code__.co_names[-1] == "nonzero"
    report = jaxvstorch.port(function, x)
    assert set(report.counts()) == {"done another way" if sized else "verified"}
    assert ("size= has no counterpart in PyTorch" in str(report)) == sized


def test_loops_inside_library_functions_are_not_reported() -> None:
    report = jaxvstorch.port(lambda x: jnp.searchsorted(x, 1.5), jnp.arange(4.0))
    assert becomes(report) == {"jnp.searchsorted": "torch.searchsorted(x, torch.as_tensor(1.5))"}
    assert report.counts() == {"verified": 1}


def test_operations_without_unsigned_integers_have_a_note() -> None:
    report = jaxvstorch.port(lambda x: x - jnp.uint32(7), jnp.arange(3, dtype=jnp.uint32))
    assert "in int64: PyTorch has no sub of uint32" in str(report)


def test_vectors_with_other_signs_are_the_same(monkeypatch) -> None:
    original = torch.linalg.eigh

    def turned(x, **side):
        values, vectors = original(x, **side)
        return values, -vectors

    monkeypatch.setattr(torch.linalg, "eigh", turned)
    report = jaxvstorch.port(lambda x: jnp.linalg.eigh(x @ x.T), X)
    assert set(report.counts()) == {"verified"}
    assert "except for the signs of the vectors, which are arbitrary" in str(report)


def test_a_callback_is_a_call_in_pytorch(capfd) -> None:
    def function(x):
        jax.debug.print("sum {}", x.sum())
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    report = jaxvstorch.port(function, X)
    assert report.counts() == {"verified": 1, "done another way": 2}
    assert "call the function itself" in str(report)
    assert capfd.readouterr().out.count("sum") == 1


class Net(nnx.Module):
    """A module with state: averages, and a stream of random numbers."""

    def __init__(self, rngs):
        self.conv = nnx.Conv(1, 2, (2, 2), rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        """All layers."""
        return self.dropout(nnx.relu(self.norm(self.conv(x[None, ..., None]))))

    def summed(self, x):
        """A method."""
        return self(x).sum()


def test_a_module_of_flax_is_traced_with_its_state() -> None:
    net = Net(nnx.Rngs(0))
    before = jax.tree.map(jnp.copy, nnx.to_pure_dict(nnx.state(net, nnx.BatchStat)))
    for function in (net, net.summed):
        assert set(jaxvstorch.port(function, X).counts()) == {"verified", "random"}
    loss = nnx.value_and_grad(lambda net, x: net(x).sum())
    counts = jaxvstorch.port(loss, net, X).counts()
    assert set(counts) == {"verified", "random", "done another way"}
    assert counts["done another way"] == 1  # value_and_grad itself
    after = nnx.to_pure_dict(nnx.state(net, nnx.BatchStat))
    assert jax.tree.all(jax.tree.map(jnp.array_equal, before, after))


def test_a_closed_over_module_gets_a_hint() -> None:
    net = Net(nnx.Rngs(0))
    with pytest.raises(Exception, match="trace level") as raised:
        jaxvstorch.port(lambda x: net(x), X)
    assert any("pass the module to it" in note for note in raised.value.__notes__)


def test_arguments_that_are_no_arrays_are_static() -> None:
    def summed(x, axis, squared=False):
        return (x**2 if squared else x).sum(axis)

    pytorch = becomes(jaxvstorch.port(summed, X, 0, squared=True))
    assert set(pytorch) == {"operator", "jnp.sum"}


def test_a_function_of_jax_is_reported_where_port_was_called() -> None:
    report = jaxvstorch.port(jnp.linalg.svd, X)
    (line,) = report.lines.values()
    assert line.text == "report = jaxvstorch.port(jnp.linalg.svd, X)"
    assert report.counts() == {"verified": 1}


def test_a_module_of_equinox() -> None:
    eqx = pytest.importorskip("equinox", reason="equinox is not installed")
    layer = eqx.nn.Linear(4, 2, key=jax.random.key(0))
    dropout = eqx.nn.Dropout(0.5, inference=True)

    @eqx.filter_jit
    def gradient(layer, dropout, x):
        def loss(layer):
            y = jax.vmap(layer)(x)
            return dropout(y).sum()

        return eqx.filter_grad(loss)(layer)

    report = jaxvstorch.port(gradient, layer, dropout, X)
    assert report.counts() == {"verified": 3, "done another way": 1}
    assert "> equinox.filter_grad  done another way: loss.backward()" in str(report)
    assert becomes(report)["equinox.nn.Linear"] == "torch.nn.Linear(4, 2)(x)"
    assert "y = jax.vmap(layer)(x)" in [line.text for line in report.lines.values()]


def test_the_limit_holds_in_loops() -> None:
    report = jaxvstorch.port(lambda x: lax.fori_loop(0, 50, lambda i, y: y * 1.1, x), X, limit=3)
    assert report.beyond > 40


LOOPS = {
    "a scan": lambda x: lax.scan(lambda c, y: (c * 0.9 + y, c.sum()), x, jnp.arange(50.0)),
    "in reverse": lambda x: lax.scan(
        lambda c, y: (c, y * c[0]), x, jnp.arange(50.0), reverse=True
    ),
    "of keys, unrolled": lambda x: jax.random.key_data(
        lax.scan(lambda c, key: (c, key), x, jax.random.split(jax.random.key(0), 20), unroll=16)[1]
    ),
    "a gradient": jax.grad(lambda x: lax.fori_loop(0, 20, lambda i, y: y * x, x).sum()),
    "without results": lambda x: lax.scan(lambda c, _: (c + 1, None), x, None, length=4_000),
    "of no steps": lambda x: lax.scan(lambda c, _: (c, c), x, None, length=0),
    "nested": lambda x: lax.scan(
        lambda c, y: (lax.fori_loop(0, 20, lambda i, d: d * 0.5 + y, c), c), x, jnp.arange(30.0)
    ),
    "a while loop": lambda x: lax.while_loop(
        lambda s: s[0] < 300, lambda s: (s[0] + 1, s[1] * 1.01), (0, x)
    ),
    "in a batch": lambda x: jax.vmap(
        lambda v: lax.while_loop(lambda w: w.max() < 100, lambda w: w * 1.1 + 0.1, v)
    )(x),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_the_rest_of_a_loop_runs_as_one(name, monkeypatch) -> None:
    results = []
    run = Interpreter.run
    monkeypatch.setattr(Interpreter, "run", lambda *args: results.append(run(*args)) or results[-1])
    report = jaxvstorch.port(LOOPS[name], X)
    assert set(report.counts()) <= {"verified", "done another way", "random"}
    for result, expected in zip(results[0], jax.tree.leaves(LOOPS[name](X)), strict=True):
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_the_limit_holds_in_nested_loops() -> None:
    def nested(depth, x):
        if not depth:
            return jnp.sin(x)
        return lax.fori_loop(0, 5, lambda i, y: nested(depth - 1, y), x)

    report = jaxvstorch.port(partial(nested, 5), X, limit=2)
    (line,) = (line for line in report.lines.values() if "sin" in line.text)
    assert list(line.calls.values()) == [1]
    assert report.beyond >= 5**5 - 2


def test_a_jitted_function_of_the_readers_has_its_own_lines() -> None:
    @jax.jit
    def inner(x):
        return jnp.exp(x)

    report = jaxvstorch.port(lambda x: inner(x) + inner(2 * x), X)
    assert "return jnp.exp(x)" in [line.text for line in report.lines.values()]


def test_random_numbers_have_a_note() -> None:
    report = jaxvstorch.port(lambda x: x + jax.random.normal(jax.random.key(0), x.shape), X)
    assert "generator" in str(report)
    assert report.counts()["random"] == 2


def test_each_way_to_round() -> None:
    halves = jnp.asarray([0.5, 1.5, 2.5, -2.5])
    for method in lax.RoundingMethod:
        report = jaxvstorch.port(lambda x, m=method: jnp.sin(lax.round(x, m)), halves)
        assert set(report.counts()) <= {"verified", "done another way"}


def test_an_unknown_operation_is_named() -> None:
    report = jaxvstorch.port(lambda x: lax.population_count(x), N)
    assert report.counts() == {"not in the map": 1}
    assert "the operation population_count" in str(report)


def test_a_wrong_call_would_be_found(monkeypatch) -> None:
    wrong = replace(jax_rows()["jnp.tanh"], expression="torch.sin(x)")
    monkeypatch.setitem(jax_rows()._rows, "jnp.tanh", wrong)
    report = jaxvstorch.port(lambda x: jnp.tanh(x), X)
    assert report.counts() == {"differs": 1}
    assert becomes(report) == {"jnp.tanh": "torch.sin(x)"}


def test_indices_that_pytorch_treats_differently() -> None:
    repeated = jnp.array([0, 2, 2])
    outside = jnp.array([0, 9, 1])

    def indexed(x, v):
        a = x.at[repeated].add(v)
        b = x[outside]
        c = x.at[outside].set(v, mode="drop")
        d = x[:, ::-1]
        e = x.at[repeated].min(v)
        f = x[::-2]
        return a, b, c, d, e, f

    report = jaxvstorch.port(indexed, jnp.ones((4, 3)), jnp.ones((3, 3)))
    calls = {line.text[0]: next(iter(line.calls)) for line in report.lines.values()}
    assert calls["a"].becomes == "x.index_put_((repeated,), v, accumulate=True)"
    assert "twice" in calls["a"].note
    assert calls["b"].becomes is None
    assert "out of range" in calls["b"].note
    assert calls["c"].becomes is None
    assert calls["d"].becomes == "torch.flip(x, (1,))"
    assert calls["e"].becomes == "paste.reduce_at(x, repeated, v, 'amin')"
    assert calls["f"].becomes is None


def test_an_error_of_tracing_names_the_reader_s_function() -> None:
    def branches(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(jax.errors.TracerBoolConversionError, match="branches"):
        jaxvstorch.port(branches, jnp.ones(3))
