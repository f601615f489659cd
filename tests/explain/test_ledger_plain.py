"""A ledger of a function that is not compiled: what is put around it, and what it is without."""

import functools

import numpy as np
import pytest

from jaxvstorch import ledger

F3, F4 = np.ones(3, np.float32), np.ones(4, np.float32)


def jax_functions():
    """By name: functions that make something new in each call, and what they compile again."""
    import jax
    from jax import lax

    def in_loop(x):
        for _ in range(2):
            x = jax.jit(lambda v: v + 1)(x)
        return x

    return {
        "jit": (lambda x: jax.jit(lambda v: v * 2)(x), "<lambda> again: <lambda> at line"),
        "loop": (in_loop, "<lambda> again: <lambda> at line"),
        "partial": (lambda x: jax.jit(functools.partial(jax.numpy.add, 1))(x), "add again"),
        "grad": (lambda x: jax.jit(jax.grad(lambda v: v.sum()))(x), "<lambda> again"),
        "vmap": (lambda x: jax.jit(jax.vmap(lambda v: v * 2))(x), "<lambda> again"),
        "scan": (lambda x: lax.scan(lambda c, v: (c + v, c), 0.0, x), "scan again: <lambda> at"),
        "map": (lambda x: lax.map(lambda v: v + 1, x), "scan again"),
        "while": (lambda x: lax.while_loop(lambda v: v[0] < 3, lambda v: v + 1, x),
                  "while again: <lambda> at line"),
        "cond": (lambda x: lax.cond(True, lambda v: v + 1, lambda v: v, x), "cond again: <lambda>"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["jit", "loop", "partial", "grad", "vmap", "scan", "map", "while", "cond"]
)
def test_what_a_plain_function_of_jax_compiles_in_each_call(name) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    function, again = jax_functions()[name]
    x = jax.numpy.ones(3)
    book = ledger(function, [(x,), (x,)])
    assert str(book).splitlines()[1] == "The ledger wrapped it in jax.jit"
    assert (book.around, book.traces) == ("jax.jit", [1, 0])
    assert book.calls[0].why == "first call"
    assert f"without jax.jit it compiles {again}" in book.calls[1].why
    assert book.cures()[0].startswith("call 2: Wrap it in jax.jit, or make what it")
    mended = ledger(jax.jit(function), [(x,), (x,)])
    assert (mended.around, mended.calls[1].why, mended.cures()) == ("", "", [])


def test_nothing_is_said_of_a_plain_function_that_compiles_once() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    inner = jax.jit(lambda state, x: state + x, donate_argnums=0)
    x = jax.numpy.ones(3)

    def step(state, x):
        return inner(state, jax.numpy.where(x > 0, jax.vmap(lambda v: v * 2)(x), x))

    book = ledger(step, [(x, x), (x, x), (F4, F4)])
    assert [row.why for row in book.calls[:2]] == ["first call", ""]
    assert "without" not in book.calls[2].why
    assert not x.is_deleted()


@pytest.mark.usefixtures("fresh_torch_compile")
def test_what_a_plain_function_of_torch_compiles_in_each_call() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.ones(3)
    compile = functools.partial(torch.compile, backend="eager")

    def by_new_backend(x):
        return torch.compile(doubled, backend=lambda graph, inputs: graph)(x)

    book = ledger(by_new_backend, [(x,), (x,)])
    assert (book.around, book.traces) == ("torch.compile", [1, 0])
    assert book.calls[1].why.startswith("without torch.compile it compiles again: compiled before")
    assert book.cures()[0].startswith("call 2: Compile the function once")

    def by_new_code(x):
        exec("def new(v): return v * 3", made := {})
        return compile(made["new"])(x)

    why = ledger(by_new_code, [(x,), (x,)]).calls[1].why
    assert "without torch.compile it compiles again: new, whose code is new in each call" in why

    def by_new_function_and_module(x):  # whose code is compared: there is nothing to say
        return compile(lambda v: v + 1)(compile(torch.nn.Identity())(x))

    assert "without" not in str(ledger(by_new_function_and_module, [(x,), (x,)]))


def doubled(x):
    return x * 2


def test_what_was_compiled_before_is_said_once_in_jax() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    function = jax.jit(lambda x: x + 1)
    function(F3)
    book = ledger(function, [(F4,), (F3,), (F3,), (F4,)])
    assert book.traces == [1, 0, 0, 0]
    assert [row.why for row in book.calls[1:]] == ["compiled before this ledger began", "", ""]
    assert ledger(function, [(F4,)]).calls[0].why == "compiled before this ledger began"


@pytest.mark.usefixtures("fresh_torch_compile")
def test_what_was_compiled_before_is_said_once_in_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    for inner in (doubled, torch.nn.ReLU()):
        function = torch.compile(inner, backend="eager", dynamic=False)
        function(torch.ones(3))
        calls = [(torch.ones(n),) for n in (3, 4, 3, 4)]
        book = ledger(function, calls)
        assert book.traces == [0, 1, 0, 0]
        whys = [row.why for row in book.calls]
        assert whys[0] == "compiled before this ledger began"
        assert whys[2:] == ["", ""]


def test_equinox_s_and_flax_s_own_jit() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    eqx = pytest.importorskip("equinox", reason="equinox is not installed")
    nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")
    x, module = jax.numpy.ones(3), nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    mlp = eqx.nn.MLP(3, 3, 4, 1, key=jax.random.key(0))

    class Flax(nnx.Module):
        def __init__(self):
            self.inner = module

        @nnx.jit
        def __call__(self, x):
            return self.inner(x)

    class Equinox(eqx.Module):
        inner: eqx.Module

        @eqx.filter_jit
        def __call__(self, x):
            return self.inner(x)

    x2 = jax.numpy.ones((2, 3))
    shape, rank = "x: f32[3] → f16[3]", "x: f32[3] → f32[2,3]"
    half = x.astype("float16")
    for function, calls, around, why in (
        (nnx.jit(lambda m, x: m(x)), [(module, x), (module, x2)], "", rank),
        (Flax(), [(x,), (x2,)], "", rank),
        (Flax().__call__, [(x2[:1],), (x2[:0],)], "", "x: f32[1,3] → f32[0,3]"),
        (module, [(x,), (x2,)], "flax.nnx.jit", "inputs: f32[3] → f32[2,3]"),
        (Equinox(mlp), [(x,), (half,)], "", shape),
        (mlp, [(x,), (half,)], "equinox.filter_jit", shape),
        (eqx.filter_jit(mlp.layers[0]), [(x,), (half,)], "", shape),
        (eqx.filter_jit(lambda x, n: x * n), [(x, 2), (x, 3)], "", "n: 2 → 3"),
        (lambda m, x: m(x), [(mlp, x), (mlp, half)], "equinox.filter_jit", shape),
    ):
        book = ledger(function, [calls[0], calls[0], calls[1]])
        assert (book.around, book.traces, book.calls[2].why) == (around, [1, 0, 1], why)
        assert book.cures()
