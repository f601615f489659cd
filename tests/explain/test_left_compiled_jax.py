"""Functions compile as if ``explain`` had never been called: ``jax.jit``."""

import gc
import subprocess
import sys
import weakref
from typing import Any

import pytest

from jaxvstorch import explain, ledger

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy


def made() -> tuple[Any, list[int]]:
    """A function that is not compiled yet, and a list that it adds to each time Python runs it."""
    runs: list[int] = []

    def function(x, *, scale=2.0):
        runs.append(1)
        return inner(x) * scale

    return function, runs


def doubled(x):
    return x + x


inner = jax.jit(doubled)


def compilations(jitted: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    return [call.compilations for call in ledger(jitted, calls).calls]


def test_what_is_traced_is_not_traced_again() -> None:
    function, runs = made()
    jitted = jax.jit(function)
    jitted(jnp.ones(3))
    explain(jitted, jnp.ones(3))
    assert len(runs) == 2  # once by the call, once by explain
    again = ledger(jitted, [(jnp.ones(3),)])
    assert (again.traces, again.programs) == ([0], [0])
    assert len(runs) == 2
    assert jitted._cache_size() == 1


FIRST = """
import jax, jax.numpy as jnp
from jaxvstorch import explain, ledger

def function(x):
    return x * 2

jitted = jax.jit(function)
jitted(jnp.ones(3))
explain(function, jnp.ones(4))
found = ledger(jitted, [(jnp.ones(3),)])
print(found.traces, found.programs)
"""


def test_the_first_explanation_of_a_process_leaves_the_caches() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[0]", "[0]"]


def test_a_ledger_says_the_same_after_it() -> None:
    calls = [(jnp.ones(size),) for size in (3, 3, 4)]
    alone = compilations(jax.jit(made()[0]), calls)
    function, runs = made()
    jitted = jax.jit(function)
    explain(jitted, jnp.ones(3))
    explain(function, jnp.ones(4))
    assert jitted._cache_size() == 0
    runs.clear()
    assert compilations(jitted, calls) == alone
    assert len(runs) == 2


def test_a_function_called_inside_is_not_kept_from_being_traced() -> None:
    jax.clear_caches()
    explain(made()[0], jnp.ones(3))
    assert inner._cache_size() == 0
    first = ledger(inner, [(jnp.ones(3),)])
    assert (first.traces, first.programs) == ([1], [1])


def test_a_function_called_inside_stays_compiled() -> None:
    inner(jnp.ones(3))
    explain(made()[0], jnp.ones(3))
    again = ledger(inner, [(jnp.ones(3),)])
    assert (again.traces, again.programs) == ([0], [0])


def test_each_explanation_runs_it_once_more() -> None:
    function, runs = made()
    for number in range(1, 4):
        explain(function, jnp.ones(3))
        assert len(runs) == number


def test_donated_arguments_stay_alive() -> None:
    x = jnp.ones(3)
    explain(jax.jit(lambda x: x + 1, donate_argnums=0), x)
    assert not x.is_deleted()
    assert x.sum() == 3


def test_settings_made_for_a_while_hold_for_it_and_are_gone_after() -> None:
    with jax.enable_x64(True), jax.disable_jit(False):
        program = explain(doubled, jnp.ones(3)).programs[0]
        assert "f64" in program.text
    assert "f32" in explain(doubled, jnp.ones(3)).programs[0].text


def test_no_value_is_left_traced_after_an_error() -> None:
    def wrong(x):
        raise ValueError(str(x.shape))

    explain(wrong, jnp.ones(3))
    assert not isinstance(jnp.ones(3) + 1, jax.core.Tracer)
    with jax.checking_leaks():
        assert jax.jit(doubled)(jnp.ones(3)).sum() == 6


def test_the_code_of_a_function_can_be_freed() -> None:
    factors = [2.0]

    def function(x):
        return inner(x) * factors[0]

    # The code as it stands here is a constant of this test, and would live on with that.
    function.__code__ = function.__code__.replace(co_name="other")
    code = weakref.ref(function.__code__)
    explain(function, jnp.ones(3))
    assert code() is not None
    del function
    gc.collect()
    assert code() is None
