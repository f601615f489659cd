"""An argument that decides a shape."""

import pytest
from static_calls import OFFSET, X

from jaxvstorch import ledger


def test_jax_needs_the_number_of_samples_while_tracing(jax, in_jax) -> None:
    with pytest.raises(
        jax.errors.ConcretizationTypeError, match="value of the argument num_samples"
    ):
        jax.jit(in_jax.samples)(OFFSET, 4)


@pytest.mark.parametrize("static", [{"static_argnames": "num_samples"}, {"static_argnums": 1}])
def test_jax_compiles_once_per_static_number_of_samples(jax, in_jax, static) -> None:
    samples = jax.jit(in_jax.samples, **static)
    numbers = (4, 4, 8, 16, 4)
    assert ledger(samples, [(OFFSET, n) for n in numbers]).programs == [1, 0, 1, 1, 0]
    assert [samples(OFFSET, num_samples=n).shape for n in (4, 8)] == [(4,), (8,)]


def test_jax_keeps_programs_by_position_and_by_keyword_apart(jax, in_jax) -> None:
    from jaxvstorch.explainer.jax.watch import watch

    samples = jax.jit(in_jax.samples, static_argnames="num_samples")
    with watch("samples") as seen:
        samples(OFFSET, 4)
        samples(OFFSET, num_samples=4)
    assert seen().traces == 2


def test_jax_takes_the_number_of_samples_from_a_shape_without_being_told(jax, in_jax) -> None:
    calls = [(OFFSET, X), (OFFSET, X + 1), (OFFSET, X[:2])]
    assert ledger(jax.jit(in_jax.samples_like), calls).traces == [1, 0, 1]


def test_jax_says_which_declaration_is_wrong(jax, in_jax) -> None:
    with pytest.raises(ValueError, match=r"invalid argnames \{'num_sample'\}"):
        jax.jit(in_jax.samples, static_argnames="num_sample")
    with pytest.raises(ValueError, match=r"only accepts 2 positional arguments"):
        jax.jit(in_jax.samples, static_argnums=5)


def test_jax_static_values_are_told_apart_by_type_too(jax, in_jax) -> None:
    scaled = jax.jit(in_jax.scaled, static_argnames="factor")
    assert ledger(scaled, [(X, factor) for factor in (1, True, 1.0, 1)]).traces == [1, 1, 1, 0]


def test_jax_traces_a_number_that_decides_nothing_once(jax, in_jax) -> None:
    calls = [(X, factor) for factor in (2.0, 3.0, 4.0)]
    assert ledger(jax.jit(in_jax.scaled), calls).traces == [1, 0, 0]
    static = jax.jit(in_jax.scaled, static_argnames="factor")
    assert ledger(static, calls).traces == [1, 1, 1]


def test_jax_has_no_limit_on_programs(jax, in_jax) -> None:
    samples = jax.jit(in_jax.samples, static_argnames="num_samples")
    calls = [(OFFSET, n) for n in range(2, 14)]
    assert ledger(samples, calls).programs == [1] * 12
    assert ledger(samples, calls).programs == [0] * 12
