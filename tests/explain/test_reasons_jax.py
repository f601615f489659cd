"""Why JAX traced again, in a ledger: the argument or setting, before and now."""

import dataclasses
import functools
import threading

import numpy as np
import pytest

from jaxvstorch import call, ledger

jax = pytest.importorskip("jax", reason="JAX is not installed")

F3, F4 = np.ones(3, np.float32), np.ones(4, np.float32)


def scaled(x, n=2):
    return x * n


def first_leaf(x, tree):
    return x * jax.tree.leaves(tree)[0]


def maybe(x, b=None):
    return x if b is None else x + b


def applied(x, act):
    return act(x)


@jax.tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Settings:
    """Static wherever it is."""

    factor: float


def by_settings(x, settings):
    return x * settings.factor


STATIC_N = {"static_argnames": "n"}
STATIC_ACT = {"static_argnames": "act"}
CASES = [
    (scaled, {}, [(F3,), (F4,)], "x: f32[3] → f32[4]"),
    (scaled, {}, [(F3,), (np.ones(3, np.int32),)], "x: f32[3] → i32[3]"),
    (scaled, {}, [(F3, 2.0), (F3, 2)], "n: f32[] (weak type) → i32[] (weak type)"),
    (scaled, {}, [(F3, 2.0), (F3, np.float32(2))], "n: f32[] (weak type) → f32[]"),
    (scaled, STATIC_N, [(F3, 4), (F3, 8)], "n: 4 → 8"),
    (scaled, {"static_argnums": 1}, [(F3, 4), (F3, 8)], "n: 4 → 8"),
    (scaled, STATIC_N, [(F3, 1), (F3, True)], "n: 1 → True"),
    (scaled, STATIC_N, [(F3, 4), (F4, 4), (F4, 8)], "n: 4 → 8"),
    (first_leaf, {}, [(F3, {"w": F3}), (F3, {"w": F3, "b": F3})],
     "tree: {'w': f32[3]} → {'w': f32[3], 'b': f32[3]}"),
    (first_leaf, {}, [(F3, [F3]), (F3, (F3,))], "tree: [f32[3]] → (f32[3],)"),
    (first_leaf, {}, [(F3, {"w": [1.0, F3]}), (F3, {"w": [1.0, F4]})],
     "tree['w'][1]: f32[3] → f32[4]"),
    (first_leaf, {}, [(F3, [(F3, F4)] * 2), (F3, ((F3, F4),) * 2)], "tree: list → tuple"),
    (first_leaf, {}, [(F3, [(F3, F4)] * 2), (F3, [(F3, F4), [F3, F4]])], "tree[1]: tuple → list"),
    (maybe, {}, [(F3, None), (F3, F3)], "b: None → f32[3]"),
    (maybe, {}, [(F3,), (F3, F3)], "b: not given → f32[3]"),
    (applied, STATIC_ACT, [(F3, np.tanh), (F3, np.sin)], "act: tanh → sin"),
    (by_settings, {}, [(F3, Settings(2.0)), (F3, Settings(3.0))],
     "settings: Settings(factor=2.0) → Settings(factor=3.0)"),
    (scaled, STATIC_N, [call(F3, n=4), call(F3, n=8)], "n: 4 → 8"),
    (scaled, STATIC_N, [(F3, 4), call(F3, n=4)], "n: by position → by name"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "options", "calls", "why"), CASES)
def test_the_last_call_is_explained_from_the_nearest_one(function, options, calls, why) -> None:
    if function is applied:
        calls = [(x, {np.tanh: jax.numpy.tanh, np.sin: jax.numpy.sin}[act]) for x, act in calls]
    # A partial is a function that JAX has never seen.
    function = functools.wraps(function)(functools.partial(function))
    book = ledger(jax.jit(function, **options), calls)
    assert book.calls[0].why == "first call"
    assert book.calls[-1].why == why


def test_a_fresh_lambda_is_another_static_value() -> None:
    calls = [(F3, lambda x: x + 1), (F3, lambda x: x + 1)]
    book = ledger(jax.jit(lambda x, act: act(x), static_argnames="act"), calls)
    assert book.calls[1].why == "act: another <lambda>"


def test_a_later_ledger_reports_a_setting() -> None:
    product = jax.jit(lambda a, b: a @ b)
    assert ledger(product, [(F3, F3)]).calls[0].why == "first call"
    with jax.default_matmul_precision("float32"):
        (call,) = ledger(product, [(F3, F3)]).calls
    assert call.why == "default_matmul_precision: None → 'float32'"
    with jax.enable_x64(True):
        (call,) = ledger(product, [(F3, F3)]).calls
    assert call.why == "enable_x64: False → True"


def test_what_no_ledger_saw_is_explained_by_jax() -> None:
    doubled = jax.jit(lambda x: 2 * x)
    doubled(F3)
    assert ledger(doubled, [(F4,)]).calls[0].why == "x: f32[3] → f32[4]"
    static = jax.jit(lambda x, n: n * x, static_argnames="n")
    static(F3, 3)
    # JAX 0.12 has no explanation of its own for another static value.
    unexplained = "cache miss explanation unavailable"
    assert ledger(static, [(F3, 4)]).calls[0].why in ("n: 3 → 4", unexplained)
    jax.clear_caches()
    assert ledger(doubled, [(F4,)]).calls[0].why == "first call"


def test_a_program_for_another_device_is_compiled_without_a_trace() -> None:
    doubled = jax.jit(lambda x: 2 * x)
    free, placed = jax.numpy.ones(3), jax.device_put(jax.numpy.ones(3), jax.devices()[0])
    book = ledger(doubled, [(free,), (placed,)])
    assert (book.traces, book.programs) == ([1, 0], [1, 1])
    assert book.calls[1].why.startswith("compiled again, not traced; x: not committed → committed")


class Model:
    """A method that is compiled for each object."""

    @functools.partial(jax.jit, static_argnums=0)
    def scaled(self, x):
        """As people write it."""
        return 2 * x


def test_a_method_whose_object_is_static() -> None:
    model = Model()
    book = ledger(model.scaled, [(F3,), (F3.astype(np.int32),)])
    assert [call.why for call in book.calls] == ["first call", "x: f32[3] → i32[3]"]
    (call,) = ledger(Model().scaled, [(F3,)]).calls
    assert call.why.startswith("self: another ")


def test_an_inner_function_of_the_same_name_is_not_reported_instead() -> None:
    scan = jax.jit(lambda x: jax.lax.scan(lambda total, item: (total + item, total), 0.0, x)[0])
    book = ledger(scan, [(F3,), (F4,)])
    assert [call.why for call in book.calls] == ["first call", "x: f32[3] → f32[4]"]


def test_of_a_call_that_raised_no_program_is_kept() -> None:
    book = ledger(jax.jit(lambda x, y: x + y), [(F3, F3), (F3, F4), (F4, F4)])
    assert book.calls[1].error is not None
    assert book.calls[2].why == "x: f32[3] → f32[4]; y: f32[3] → f32[4]"


def test_ledgers_in_threads_count_their_own_function() -> None:
    ledgers = []

    def work(factor: int) -> None:
        def scaled(x):
            return x * factor

        ledgers.append(ledger(jax.jit(scaled), [(F3,), (F3,), (F4,)]).traces)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledgers == [[1, 0, 1]] * 6
