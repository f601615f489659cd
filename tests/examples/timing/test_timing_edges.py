"""Waiting where there is nothing to wait for."""


def test_a_tracer_passes_through_the_function_that_waits(jax, in_jax) -> None:
    x = jax.numpy.ones(3)
    waiting = jax.jit(lambda x: jax.block_until_ready(in_jax.selu(x)))
    assert (waiting(x) == jax.jit(in_jax.selu)(x)).all()
