"""A function as an argument."""

import functools

import pytest
from static_calls import X, calls_with

from jaxvstorch import ledger


def test_jax_takes_no_function_that_was_not_declared(jax, in_jax) -> None:
    with pytest.raises(TypeError, match="not marked as static"):
        jax.jit(in_jax.gated)(X, X, in_jax.tanh)


def fresh_lambdas(tanh):
    return [lambda gate: tanh(gate) for _ in range(3)]


def fresh_partials(clip):
    return [functools.partial(clip, min=0.25) for _ in range(3)]


def test_jax_traces_again_for_each_fresh_function(jax, in_jax) -> None:
    def traces(activations) -> list[int]:
        gated = jax.jit(in_jax.gated, static_argnames="activation")
        return ledger(gated, calls_with(X, activations)).traces

    assert traces([in_jax.tanh] * 3) == [1, 0, 0]
    assert traces(fresh_lambdas(in_jax.tanh)) == [1, 1, 1]
    assert traces(fresh_partials(jax.numpy.clip)) == [1, 1, 1]
    assert traces(fresh_partials(jax.numpy.clip)[:1] * 3) == [1, 0, 0]


def test_jax_knows_a_name_again(jax, in_jax) -> None:
    gated = jax.jit(in_jax.gated_by_name, static_argnames="name")
    assert ledger(gated, calls_with(X, ["tanh", "".join(["ta", "nh"]), "relu"])).traces == [1, 0, 1]


def test_jax_compares_the_function_in_its_own_partial_and_traces_what_it_binds(jax, in_jax) -> None:
    def bound(least):
        return jax.tree_util.Partial(jax.numpy.clip, min=least)

    gated = jax.jit(in_jax.gated)  # nothing is static
    assert ledger(gated, calls_with(X, map(bound, (0.0, 0.0, 1.0)))).traces == [1, 0, 0]


def test_jax_traces_again_for_each_fresh_partial_that_is_jitted(jax, in_jax) -> None:
    from jaxvstorch.explainer.jax.watch import watch

    def traces(functions) -> int:
        jax.clear_caches()
        with watch("gated") as seen:
            for function in functions:
                jax.jit(function)(X, X)
        return seen().traces

    def bound():
        return functools.partial(in_jax.gated, activation=in_jax.tanh)

    kept = bound()
    assert traces([bound() for _ in range(3)]) == 3
    assert traces([kept for _ in range(3)]) == 1


def test_torch_guards_on_the_code_of_a_function_not_on_the_object(torch, in_torch) -> None:
    x = torch.tensor(X)
    tanh = in_torch.tanh

    def traces(activations) -> list[int]:
        torch.compiler.reset()
        gated = torch.compile(in_torch.gated, backend="eager")
        return ledger(gated, calls_with(x, activations)).traces

    assert traces([tanh] * 3) == [1, 0, 0]
    assert traces(fresh_lambdas(tanh)) == [1, 0, 0]
    assert traces(fresh_partials(torch.clamp)) == [1, 0, 0]
    written_twice = [lambda gate: tanh(gate), lambda gate: tanh(gate)]
    assert traces(written_twice) == [1, 1]


def multiply_by(slope):
    return lambda gate: slope * gate


def test_torch_guards_on_what_a_lambda_remembers(torch, in_torch) -> None:
    x = torch.tensor(X)
    gated = torch.compile(in_torch.gated, backend="eager")
    activations = [multiply_by(slope) for slope in (2.0, 2.0, 3.0, 4.0)]
    assert ledger(gated, calls_with(x, activations)).traces == [1, 0, 1, 0]


def test_torch_compiles_a_lambda_once_however_often_it_is_made(torch, in_torch) -> None:
    from jaxvstorch.explainer.torch.watch import watch

    x = torch.tensor(X)
    with watch("<lambda>") as seen:
        for _ in range(3):
            torch.compile(lambda x: in_torch.tanh(x), backend="eager")(x)
    assert seen().traces == 1
