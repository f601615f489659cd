"""What the static-argument examples show, as the frameworks report it."""

import dataclasses
import functools
import importlib
import logging
from typing import Any

import numpy as np
import pytest

from jaxvstorch import ledger
from jaxvstorch.examples import static_args

X = np.linspace(0.5, 2, 3, dtype=np.float32)
OFFSET = np.float32(0.5)


@pytest.fixture
def jax():
    """JAX without memory: a second ``jax.jit`` of a function would reuse what the first made."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    importlib.import_module("jaxvstorch.examples.static_args.jax")
    jax.clear_caches()
    return jax


@pytest.fixture
def torch(fresh_torch_compile):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    importlib.import_module("jaxvstorch.examples.static_args.torch")
    return torch


class Settings:
    """Can be hashed, by identity, and can be changed."""

    def __init__(self, factor: float) -> None:
        self.factor = factor


@dataclasses.dataclass(frozen=True)
class FrozenSettings:
    """Can be hashed, by value, and cannot be changed."""

    factor: float


def scaled_by(x, settings):
    return x * settings.factor


# A boolean option.


def test_jax_leaves_out_the_branch_not_taken(jax) -> None:
    def program(function, robust) -> str:
        static = () if function is static_args.jax.loss_where else (2,)
        return str(jax.make_jaxpr(function, static_argnums=static)(X, X, robust))

    assert "log1p" in program(static_args.jax.loss, True)
    assert "log1p" not in program(static_args.jax.loss, False)
    both = program(static_args.jax.loss_where, np.True_)
    assert "log1p" in both
    assert "select_n" in both


def test_jax_traces_once_per_value_of_a_static_flag_and_once_for_a_flag_that_is_an_array(jax):
    static = jax.jit(static_args.jax.loss, static_argnames="robust")
    assert ledger(static, [(X, X, flag) for flag in (True, False, True)]).traces == [1, 1, 0]
    traced = jax.jit(static_args.jax.loss_where)
    assert ledger(traced, [(X, X, flag) for flag in (True, False, True)]).traces == [1, 0, 0]


def test_jax_cannot_decide_on_a_flag_that_was_not_declared(jax) -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError, match="value of the argument robust"):
        jax.jit(static_args.jax.loss)(X, X, True)


def graphs_of(torch, function, *arguments) -> list[str]:
    """The code of every graph that Dynamo makes of one call."""
    found = []

    def keep(graph: Any, inputs: Any) -> Any:
        found.append(graph.code)
        return graph.forward

    torch.compile(function, backend=keep)(*arguments)
    return found


def test_torch_leaves_out_the_branch_not_taken(torch) -> None:
    x = torch.from_numpy(X)
    (with_option,) = graphs_of(torch, static_args.torch.loss, x, x, True)
    (without,) = graphs_of(torch, static_args.torch.loss, x, x, False)
    assert "log1p" in with_option
    assert "log1p" not in without
    (both,) = graphs_of(torch, static_args.torch.loss_where, x, x, torch.tensor(True))
    assert "log1p" in both
    assert "where" in both


def test_torch_compiles_once_per_value_of_a_flag_without_being_told(torch) -> None:
    x = torch.from_numpy(X)
    book = ledger(
        torch.compile(static_args.torch.loss, backend="eager"),
        [(x, x, flag) for flag in (True, False, True)],
    )
    assert book.traces == [1, 1, 0]
    assert book.rows()[1][-1] == "0/0: robust == True"


# A function as an argument.


def test_jax_takes_no_function_that_was_not_declared(jax) -> None:
    with pytest.raises(TypeError, match="not marked as static"):
        jax.jit(static_args.jax.gated)(X, X, static_args.jax.tanh)


def fresh_lambdas(tanh):
    return [lambda gate: tanh(gate) for _ in range(3)]


def fresh_partials(clip):
    return [functools.partial(clip, min=0.25) for _ in range(3)]


def calls_with(x, activations):
    return [(x, x, activation) for activation in activations]


def test_jax_traces_again_for_each_fresh_function(jax) -> None:
    def traces(activations) -> list[int]:
        gated = jax.jit(static_args.jax.gated, static_argnames="activation")
        return ledger(gated, calls_with(X, activations)).traces

    assert traces([static_args.jax.tanh] * 3) == [1, 0, 0]
    assert traces(fresh_lambdas(static_args.jax.tanh)) == [1, 1, 1]
    assert traces(fresh_partials(jax.numpy.clip)) == [1, 1, 1]
    assert traces(fresh_partials(jax.numpy.clip)[:1] * 3) == [1, 0, 0]


def test_jax_knows_a_name_again(jax) -> None:
    gated = jax.jit(static_args.jax.gated_by_name, static_argnames="name")
    assert ledger(gated, calls_with(X, ["tanh", "".join(["ta", "nh"]), "relu"])).traces == [1, 0, 1]


def test_jax_traces_again_for_each_fresh_partial_that_is_jitted(jax) -> None:
    from jaxvstorch.explainer.jax.watch import watch

    def traces(functions) -> int:
        jax.clear_caches()
        with watch("gated") as seen:
            for function in functions:
                jax.jit(function)(X, X)
        return seen().traces

    def bound():
        return functools.partial(static_args.jax.gated, activation=static_args.jax.tanh)

    kept = bound()
    assert traces([bound() for _ in range(3)]) == 3
    assert traces([kept for _ in range(3)]) == 1


def test_torch_guards_on_the_code_of_a_function_not_on_the_object(torch) -> None:
    x = torch.from_numpy(X)
    tanh = static_args.torch.tanh

    def traces(activations) -> list[int]:
        torch.compiler.reset()
        gated = torch.compile(static_args.torch.gated, backend="eager")
        return ledger(gated, calls_with(x, activations)).traces

    assert traces([tanh] * 3) == [1, 0, 0]
    assert traces(fresh_lambdas(tanh)) == [1, 0, 0]
    assert traces(fresh_partials(torch.clamp)) == [1, 0, 0]
    written_twice = [lambda gate: tanh(gate), lambda gate: tanh(gate)]
    assert traces(written_twice) == [1, 1]


def multiply_by(slope):
    return lambda gate: slope * gate


def test_torch_guards_on_what_a_lambda_remembers(torch) -> None:
    x = torch.from_numpy(X)
    gated = torch.compile(static_args.torch.gated, backend="eager")
    activations = [multiply_by(slope) for slope in (2.0, 2.0, 3.0, 4.0)]
    assert ledger(gated, calls_with(x, activations)).traces == [1, 0, 1, 0]


def test_torch_compiles_a_lambda_once_however_often_it_is_made(torch) -> None:
    from jaxvstorch.explainer.torch.watch import watch

    x = torch.from_numpy(X)
    with watch("<lambda>") as seen:
        for _ in range(3):
            torch.compile(lambda x: static_args.torch.tanh(x), backend="eager")(x)
    assert seen().traces == 1


# An argument that decides a shape.


def test_jax_needs_the_number_of_samples_while_tracing(jax) -> None:
    with pytest.raises(
        jax.errors.ConcretizationTypeError, match="value of the argument num_samples"
    ):
        jax.jit(static_args.jax.samples)(OFFSET, 4)


@pytest.mark.parametrize("static", [{"static_argnames": "num_samples"}, {"static_argnums": 1}])
def test_jax_compiles_once_per_static_number_of_samples(jax, static) -> None:
    samples = jax.jit(static_args.jax.samples, **static)
    numbers = (4, 4, 8, 16, 4)
    assert ledger(samples, [(OFFSET, n) for n in numbers]).programs == [1, 0, 1, 1, 0]
    assert [samples(OFFSET, num_samples=n).shape for n in (4, 8)] == [(4,), (8,)]


def test_jax_keeps_programs_by_position_and_by_keyword_apart(jax) -> None:
    from jaxvstorch.explainer.jax.watch import watch

    samples = jax.jit(static_args.jax.samples, static_argnames="num_samples")
    with watch("samples") as seen:
        samples(OFFSET, 4)
        samples(OFFSET, num_samples=4)
    assert seen().traces == 2


def test_jax_takes_the_number_of_samples_from_a_shape_without_being_told(jax) -> None:
    calls = [(OFFSET, X), (OFFSET, X + 1), (OFFSET, X[:2])]
    assert ledger(jax.jit(static_args.jax.samples_like), calls).traces == [1, 0, 1]


def test_jax_says_which_declaration_is_wrong(jax) -> None:
    with pytest.raises(ValueError, match=r"invalid argnames \{'num_sample'\}"):
        jax.jit(static_args.jax.samples, static_argnames="num_sample")
    with pytest.raises(ValueError, match=r"only accepts 2 positional arguments"):
        jax.jit(static_args.jax.samples, static_argnums=5)


def test_jax_static_values_are_told_apart_by_type_too(jax) -> None:
    scaled = jax.jit(static_args.jax.scaled, static_argnames="factor")
    assert ledger(scaled, [(X, factor) for factor in (1, True, 1.0, 1)]).traces == [1, 1, 1, 0]


def test_jax_traces_a_number_that_decides_nothing_once(jax) -> None:
    calls = [(X, factor) for factor in (2.0, 3.0, 4.0)]
    assert ledger(jax.jit(static_args.jax.scaled), calls).traces == [1, 0, 0]
    static = jax.jit(static_args.jax.scaled, static_argnames="factor")
    assert ledger(static, calls).traces == [1, 1, 1]


def test_jax_has_no_limit_on_programs(jax) -> None:
    samples = jax.jit(static_args.jax.samples, static_argnames="num_samples")
    calls = [(OFFSET, n) for n in range(2, 14)]
    assert ledger(samples, calls).programs == [1] * 12
    assert ledger(samples, calls).programs == [0] * 12


# Arguments that cannot be hashed, or that changed.


def test_jax_static_arguments_must_be_hashable(jax) -> None:
    mean_over = jax.jit(static_args.jax.mean_over, static_argnames="axes")
    with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
        mean_over(X[None], [1])
    samples = jax.jit(static_args.jax.samples, static_argnames="num_samples")
    with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
        samples(OFFSET, jax.numpy.int32(4))
    assert mean_over(X[None], (1,)).shape == (1,)
    assert samples(OFFSET, int(jax.numpy.int32(4))).shape == (4,)


def test_jax_does_not_see_a_static_argument_change(jax) -> None:
    settings = Settings(2.0)
    function = jax.jit(scaled_by, static_argnames="settings")
    np.testing.assert_array_equal(function(X, settings), 2 * X)
    settings.factor = 5.0
    np.testing.assert_array_equal(function(X, settings), 2 * X)  # stale


def test_a_frozen_dataclass_cannot_go_stale(jax) -> None:
    settings = FrozenSettings(2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.factor = 5.0  # type: ignore[misc]
    function = jax.jit(scaled_by, static_argnames="settings")
    changed = dataclasses.replace(settings, factor=5.0)
    calls = [(X, settings), (X, changed), (X, FrozenSettings(2.0))]
    assert ledger(function, calls).traces == [1, 1, 0]
    np.testing.assert_array_equal(function(X, changed), 5 * X)


def test_torch_sees_an_argument_change(torch) -> None:
    settings, x = Settings(2.0), torch.from_numpy(X)
    function = torch.compile(scaled_by, backend="eager")
    torch.testing.assert_close(function(x, settings), 2 * x)
    settings.factor = 5.0
    assert ledger(function, [(x, settings), (x, settings)]).traces == [1, 0]
    torch.testing.assert_close(function(x, settings), 5 * x)


def test_torch_takes_a_list(torch) -> None:
    x = torch.from_numpy(X)[None]
    mean_over = torch.compile(static_args.torch.mean_over, backend="eager", fullgraph=True)
    book = ledger(mean_over, [(x, axes) for axes in ([1], [1], [0], (1,))])
    assert book.traces == [1, 0, 1, 1]
    assert [call.error for call in book.calls] == [None] * 4


# Guards on Python values, and their limit.


def torch_traces(torch, function, first, values, **options) -> list[int]:
    torch.compiler.reset()
    compiled = torch.compile(function, backend="eager", **options)
    return ledger(compiled, [(first, value) for value in values]).traces


def test_torch_makes_a_symbol_of_an_integer_at_its_second_value(torch) -> None:
    count = functools.partial(torch_traces, torch, static_args.torch.samples, torch.tensor(OFFSET))
    assert count((4, 4, 8, 16, 32)) == [1, 0, 1, 0, 0]
    assert count((4, 8, 16, 1, 0)) == [1, 1, 0, 1, 1]  # 0 and 1 are never symbols
    assert count((4, 4, 8, 16, 32), dynamic=True) == [1, 0, 0, 0, 0]
    assert count((4, 4, 8, 16, 32), dynamic=False) == [1, 0, 1, 1, 1]


def test_torch_compiles_for_a_number_in_a_tensor_only_with_fullgraph(torch) -> None:
    calls = [(torch.tensor(OFFSET), torch.tensor(n)) for n in (4, 8, 16)]
    expected = static_args.torch.samples(calls[1][0], 8)

    def programs(**options) -> list[int]:
        torch.compiler.reset()
        # The default backend starts as this one does, but keeps programs on disk between runs.
        samples = torch.compile(static_args.torch.samples, backend="aot_eager", **options)
        book = ledger(samples, calls)
        torch.testing.assert_close(samples(*calls[1]), expected)
        assert book.traces == [1, 0, 0]
        return book.programs

    assert programs(fullgraph=True) == [1, 0, 0]
    assert programs() == [0, 0, 0]


def test_torch_treats_floats_like_integers_and_guards_on_bools_and_strings(torch) -> None:
    x = torch.from_numpy(X)
    scaled = functools.partial(torch_traces, torch, static_args.torch.scaled, x)
    assert scaled((2.0, 2.0, 3.0, 4.0)) == [1, 0, 1, 0]
    assert scaled((2, 2, 3, 4)) == [1, 0, 1, 0]
    assert scaled((True, False, True)) == [1, 1, 0]
    assert scaled((2, 2.0, True)) == [1, 1, 1]
    named = torch.compile(static_args.torch.gated_by_name, backend="eager")
    assert ledger(named, calls_with(x, ["tanh", "relu", "tanh"])).traces == [1, 1, 0]


@pytest.fixture
def warnings_of_dynamo():
    """What Dynamo warns of, kept from standard error."""
    logger, messages = logging.getLogger("torch._dynamo.convert_frame"), []
    keep = messages.append  # returns None, which tells the logger to drop the record

    logger.addFilter(keep)
    yield messages
    logger.removeFilter(keep)


def test_torch_runs_eagerly_past_the_recompile_limit(torch, warnings_of_dynamo) -> None:
    assert torch._dynamo.config.recompile_limit == 8
    ran = []

    def count(graph: Any, inputs: Any) -> Any:
        def run(*values: Any) -> Any:
            ran.append(1)
            return graph.forward(*values)

        return run

    offset = torch.tensor(OFFSET)
    samples = torch.compile(static_args.torch.samples, backend=count, dynamic=False)
    book = ledger(samples, [(offset, n) for n in range(2, 12)])
    assert book.traces == [1] * 8 + [0] * 2
    assert len(ran) == 8
    (warning,) = warnings_of_dynamo
    assert "hit config.recompile_limit (8)" in warning.getMessage()
    assert samples(offset, 11).shape == (11,)
    assert len(ran) == 8  # eager
    assert samples(offset, 2).shape == (2,)
    assert len(ran) == 9  # still compiled


def test_torch_fullgraph_raises_past_the_recompile_limit(torch, warnings_of_dynamo) -> None:
    offset = torch.tensor(OFFSET)
    samples = torch.compile(
        static_args.torch.samples, backend="eager", dynamic=False, fullgraph=True
    )
    with torch._dynamo.config.patch(recompile_limit=2):
        samples(offset, 2)
        samples(offset, 3)
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit, match="fullgraph=True"):
            samples(offset, 4)
