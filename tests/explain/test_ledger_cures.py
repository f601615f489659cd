"""What a ledger says to do: done, the call is not traced again."""

import dataclasses
import functools
import logging
import math

import numpy as np
import pytest

from jaxvstorch import call, ledger
from jaxvstorch._explain import ledger_cures as cures

F3, F4 = np.ones(3, np.float32), np.ones(4, np.float32)
N = {"static_argnames": "n"}


class NoEq:
    """Two of one hash, and no ``__eq__``."""

    def __hash__(self):
        """The same for all."""
        return 1


@dataclasses.dataclass(eq=False)
class Unequal:
    """Prints like another one."""

    width: int = 3


@dataclasses.dataclass(frozen=True)
class Frozen:
    """With an ``__eq__``, and something inside that may have none."""

    act: object = 3


class Unhashed:
    """Equal to any other, with a hash of its own."""

    __eq__ = lambda self, other: isinstance(other, Unhashed)  # noqa: E731
    __hash__ = object.__hash__


class Alike(Unhashed):
    """The same with one hash for all."""

    __hash__ = lambda self: 1  # noqa: E731


def new_nan():
    return float("nan")


def scaled(x, n=2):
    return x * 2


def tree_sum(x, n):
    import jax

    return sum(jax.numpy.sum(leaf) for leaf in jax.tree.leaves((x, n)))


def made():
    return lambda x: x


one = made()
STATIC_CASES = [
    (NoEq, "n: another NoEq object; the two compare unequal: no __eq__", cures.NO_EQ, Frozen),
    (Unequal, "n: another Unequal(width=3); the two compare unequal: no __eq__", cures.NO_EQ,
     Frozen),
    (Unhashed, "n: another Unhashed object; the two are equal, but their hashes differ",
     cures.HASHES, Alike),
    (made, f"n: another <lambda>, defined again at line {one.__code__.co_firstlineno}", cures.FRESH,
     lambda: one),
    (lambda: functools.partial(scaled), "n: another {}, a new object", cures.FRESH, lambda: scaled),
    (lambda: NoEq().__hash__, "n: another __hash__, of another object", cures.FRESH,
     lambda: scaled),
    (lambda: Frozen(made()),
     f"n.act: another <lambda>, defined again at line {one.__code__.co_firstlineno}", cures.FRESH,
     lambda: Frozen(one)),
    (new_nan, "n: another nan, and nan never equals nan", cures.NAN, lambda: math.nan),
    (iter(["a" * 70, "a" * 69 + "b"]).__next__, "n, from character 70: 'a'… → 'b'…",
     cures.STATIC, lambda: "a"),
    (iter([tuple(range(60)), (*range(59), 7)]).__next__, "n[59]: 59 → 7", cures.STATIC,
     lambda: (1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("make", "why", "cure", "mended"), STATIC_CASES)
def test_static_values_that_print_alike_are_told_apart(make, why, cure, mended) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    values = [make(), make()]
    book = ledger(jax.jit(lambda x, n: x, **N), [(F3, value) for value in values])
    module = f"<{__name__}."
    said = book.calls[1].why.replace(module, "").replace(" object>", " object")
    if "{}" in why:
        said = said.replace(said[len("n: another ") : -len(", a new object")], "{}")
    assert (book.traces, said) == ([1, 1], why)
    assert book.calls[1].compilations.cures == (cure,)
    values = [mended(), mended()]
    book = ledger(jax.jit(lambda x, n: x, **N), [(F3, value) for value in values])
    assert (book.traces, book.cures()) == ([1, 0], [])


def jax_cases():
    """Options, calls of which the last traces again, what to do, and calls that do it."""
    twice = np.float32(2)
    return [
        ({}, [(F3,), (F4,)], cures.SHAPE, [(F4,), (F4 * 2,)]),
        ({}, [(F3,), (np.ones(3, np.int32),)], cures.DTYPE,
         [(F3,), (np.ones(3, np.int32).astype(np.float32),)]),
        ({}, [(F3,), (F3[None],)], cures.RANK, [(F3[None],), (F3[None],)]),
        ({}, [(F3, 2.0), (F3, 2)], cures.WEAK_TYPE, [(F3, 2.0), (F3, 3.0)]),
        ({}, [(F3, 2.0), (F3, twice)], cures.WEAK_TYPE, [(F3, np.float32(2.5)), (F3, twice)]),
        ({}, [(F3, [F3]), (F3, (F3,))], cures.STRUCTURE, [(F3, (F3,)), (F3, (F3,))]),
        ({}, [(F3, None), (F3, F3)], cures.NONE, [(F3, F3 * 0), (F3, F3)]),
        ({}, [(F3,), (F3, 2)], cures.GIVEN, [(F3, 2), (F3, 2)]),
        ({}, [(F3, 2), call(F3, n=2)], cures.NAMED, [call(F3, n=2)] * 2),
        (N, [(F3, 2), (F3, 3)], cures.STATIC, None),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(10))
def test_a_cure_in_jax(number) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    options, calls, cure, mended = jax_cases()[number]
    made = lambda: lambda x, n=2: tree_sum(x, n)  # noqa: E731
    book = ledger(jax.jit(made(), **options), calls)
    assert book.traces == [1, 1]
    assert book.calls[1].compilations.cures == (cure,)
    options, mended = ({}, calls) if mended is None else (options, mended)
    book = ledger(jax.jit(made(), **options), mended)
    assert (book.traces, book.cures()) == ([1, 0], [])


def test_settings_and_placement_have_cures() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    doubled = jax.jit(lambda x: 2 * x)
    x = jax.numpy.ones(3)
    placed = jax.device_put(x, jax.devices()[0])
    assert ledger(doubled, [(x,), (placed,)]).cures() == [f"call 2: {cures.PLACED}"]
    with jax.default_matmul_precision("float32"):
        assert ledger(doubled, [(x,), (x,)]).cures() == [f"call 1: {cures.SETTING}"]
    with jax.disable_jit():
        (row,) = ledger(doubled, [(x,)]).calls
    assert (row.why, row.compilations.uncompiled) == (cures.DISABLED, 1)


def test_a_function_that_is_jitted_anew_is_made_once() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    values = [jax.jit(lambda v: v * 2) for _ in range(2)]
    book = ledger(jax.jit(lambda x, n: n(x), **N), [(F3, value) for value in values])
    assert book.calls[1].compilations.cures == (cures.FRESH,)
    kept = jax.jit(lambda x, n: n(x), **N)
    assert ledger(kept, [(F3, values[0])] * 2).traces == [1, 0]


def test_keys_of_two_kinds_have_their_own_cure() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    keys = [(jax.random.key(0),), (jax.random.PRNGKey(0),)]
    assert ledger(jax.jit(lambda k: k), keys).cures() == [f"call 2: {cures.KEY}"]


def test_an_error_has_its_cure_and_a_cure_the_numbers_of_its_calls() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    calls = [(F3, [1]), (F3, 1), (F3, [1]), (F3, [1])]
    book = ledger(jax.jit(lambda x, n: x, **N), calls)
    (cure,) = book.cures()
    assert cure.startswith("calls 1, 3-4: Pass a tuple")
    assert cure in str(book).replace("\n  ", " ")
    assert f"<li>{cure}</li>" in book._repr_html_()
    assert book.to_dict()["calls"][0]["compilations"]["cures"] == (cure.partition(": ")[2],)


def torch_cases():
    """Calls of which the last compiles again, what to do, and calls and options that do it."""
    import torch

    f3, f4, f1 = torch.ones(3), torch.ones(4), torch.ones(1)
    square = torch.ones(2, 2) + torch.eye(2)
    dynamic = {"dynamic": True}
    return [
        (lambda x: x * 2, [(f3,), (f4,)], cures.SIZE, [(f3,), (f4,)], dynamic),
        (lambda x: x * 2, [(f3,), (f4,), (f1,)], cures.SMALL, [(f3,), (f3,)], {}),
        (lambda x: x * 2, [(f3,), (f3[None],)], cures.RANK, [(f3[None],), (f3[None],)], {}),
        (lambda x: x * 2, [(f3,), (f3.int(),)], cures.TENSOR_DTYPE,
         [(f3,), (f3.int().to(torch.float32),)], {}),
        (lambda x: x * 2, [(f3,), (f3.clone().requires_grad_(),)], cures.GRADIENT,
         [(f3,), (f3.clone().requires_grad_().detach(),)], {}),
        (lambda x: x @ x, [(square,), (square.T,)], cures.STRIDES,
         [(square,), (square.T.contiguous(),)], {}),
        (lambda x, y: x + y, [(f3, f3.clone()), (f3, f3)], cures.ALIAS,
         [(f3, f3.clone())] * 2, {}),
        (lambda x, n: x * n, [(f3, 4), (f3, 8)], cures.NUMBER, [(f3, 4), (f3, 8)], dynamic),
        (lambda x, n: x * n, [(f3, 4), (f3, 2.5)], cures.ONE_TYPE, [(f3, 2.5), (f3, 2.5)], {}),
        (lambda x, n: x * 2 if n else x + 1, [(f3, True), (f3, False)], cures.VALUE,
         [(f3, torch.tensor(True)), (f3, torch.tensor(False))], {"function": torch.where}),
        (lambda x, n: x * 2 if n is None else x + n, [(f3, None), (f3, f3.clone())], cures.NONE,
         [(f3, f3 * 0), (f3, f3.clone())], {}),
        (lambda x, n: x * len(n), [(f3, [1]), (f3, [1, 2])], cures.STRUCTURE,
         [(f3, [1, 2]), (f3, [1, 2])], {}),
        (lambda x, act: act(x) * 2, [(f3, lambda v: v + 1), (f3, lambda v: v - 1)],
         cures.MADE_ONCE, [(f3, torch.sin), (f3, torch.sin)], {}),
    ]  # fmt: skip


@pytest.mark.usefixtures("fresh_torch_compile")
@pytest.mark.parametrize("number", range(13))
def test_a_cure_in_torch(number) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    function, calls, cure, mended, options = torch_cases()[number]
    book = ledger(torch.compile(function, backend="eager"), calls)
    assert book.traces[-1] == 1
    assert book.calls[-1].compilations.cures == (cure,)
    torch.compiler.reset()
    if options.pop("function", None):
        function = lambda x, n: torch.where(n, x * 2, x + 1)  # noqa: E731
    book = ledger(torch.compile(function, backend="eager", **options), mended)
    assert (book.traces, book.cures()) == ([1, 0], [])


@pytest.mark.usefixtures("fresh_torch_compile")
def test_settings_limits_stances_and_backends_have_cures_in_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.ones(3)

    def function(x, n=1):
        return x * n

    compiled = torch.compile(function, backend="eager", dynamic=False)
    ledger(compiled, [(x,)])
    with torch.no_grad():
        assert ledger(compiled, [(x,), (x,)]).cures() == [f"call 1: {cures.SETTING}"]
    with torch.compiler.set_stance("force_eager"):
        assert ledger(compiled, [(x,)]).cures() == [f"call 1: {cures.STANCE}"]
    other = torch.compile(function, backend="aot_eager", dynamic=False)
    assert ledger(other, [(x,), (x,)]).cures() == [f"call 1: {cures.OPTIONS}"]
    torch._logging.set_logs(dynamo=logging.ERROR)  # it logs that the limit was reached
    for limit, said in ((1, (cures.LIMIT, cures.VALUE)), (8, (cures.VALUE,))):
        torch.compiler.reset()
        with torch._dynamo.config.patch(recompile_limit=limit):
            assert ledger(compiled, [(x, 4), (x, 5)]).calls[1].compilations.cures == said
    torch._logging.set_logs()
