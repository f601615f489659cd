"""A tracer that leaks."""

import numpy as np
import pytest
from purity_inputs import X


def test_a_leaked_tracer_is_stored_and_its_use_is_an_error(jax, in_jax) -> None:
    assert jax.jit(in_jax.summed_squares)(X) == np.sum(X * X)
    (leaked,) = in_jax.kept
    assert isinstance(leaked, jax.core.Tracer)
    assert repr(leaked) == "JitTracer(float32[4])"
    with pytest.raises(jax.errors.UnexpectedTracerError, match=r"summed_squares") as caught:
        leaked + 1
    assert "created on line" in str(caught.value)
    with pytest.raises(jax.errors.TracerArrayConversionError):
        np.asarray(leaked)


def test_check_tracer_leaks_finds_it_when_the_trace_ends(jax, in_jax) -> None:
    with (
        jax.check_tracer_leaks(),
        pytest.raises(Exception, match=r"(?s)Leaked trace.*purity\.jax\.kept"),
    ):
        jax.jit(in_jax.summed_squares)(X)


def test_check_tracer_leaks_is_silent_about_what_was_compiled_before(jax, in_jax) -> None:
    jitted = jax.jit(in_jax.summed_squares)
    jitted(X)
    with jax.check_tracer_leaks():
        jitted(X)


@pytest.mark.parametrize("name", ["powers", "squared_deviations", "neighbour_sums", "scaled"])
def test_check_tracer_leaks_is_silent_about_functions_that_keep_nothing(jax, in_jax, name) -> None:
    with jax.check_tracer_leaks():
        jax.jit(getattr(in_jax, name))(X)
