"""Buffer donation in JAX: what becomes of the argument."""

import warnings

import pytest
from updates_programs import aliased, compiled, set_row


@pytest.fixture
def x(jax):
    return jax.numpy.ones((4, 2))


def test_a_donated_array_is_gone(jax, x) -> None:
    donated = jax.jit(set_row, donate_argnums=0)
    donated(x, 0.0)
    assert x.is_deleted()
    assert x.shape == (4, 2)
    with pytest.raises(RuntimeError, match="Array has been deleted with shape=float32"):
        x + 1
    again = RuntimeError if jax.__version_info__ >= (0, 12) else ValueError
    with pytest.raises(again, match="has been deleted"):
        donated(x, 0.0)


def test_a_copy_can_be_donated_instead(jax, x) -> None:
    jax.jit(set_row, donate_argnums=0)(x.copy(), 0.0)
    assert (x == 1).all()


def test_one_array_cannot_be_donated_and_passed_again(jax, x) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match="previously donated"):
        jax.jit(lambda x, y: x + y, donate_argnums=0)(x, x)


def test_the_whole_slice_goes_with_the_array_and_a_part_stays(jax, x) -> None:
    whole, part = x[:], x[:2]
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert whole.is_deleted()
    assert not part.is_deleted()


def test_a_result_of_as_many_bytes_takes_the_memory(jax) -> None:
    jnp = jax.numpy
    for function in (lambda x: x.astype(jnp.int32), lambda x: x.reshape(2, 4)):
        x = jnp.ones(8)
        with warnings.catch_warnings(action="error"):
            jax.jit(function, donate_argnums=0)(x)
        assert x.is_deleted()


def test_donation_is_refused_with_a_warning_and_the_argument_kept(jax) -> None:
    x = jax.numpy.ones(8)
    with pytest.warns(UserWarning, match=r"Some donated buffers were not usable: float32\[8\]"):
        jax.jit(lambda x: x[:4], donate_argnums=0)(x)
    assert not x.is_deleted()


def test_a_narrower_dtype_is_refused_without_a_warning(jax) -> None:
    x, half = jax.numpy.ones(8), jax.numpy.float16
    with warnings.catch_warnings(action="error"):
        jax.jit(lambda x: x.astype(half), donate_argnums=0)(x)
    assert not x.is_deleted()


def test_donation_of_a_jit_inside_a_jit_changes_nothing(jax, x) -> None:
    inner = jax.jit(set_row, donate_argnums=0)
    assert aliased(compiled(jax, lambda x: inner(x, 0.0), x)) == 0


def test_a_donated_ring_buffer_keeps_its_memory(jax, in_jax) -> None:
    step = jax.jit(in_jax.ring_write, donate_argnums=0)
    buffer = jax.numpy.zeros((4, 2))
    pointer = buffer.unsafe_buffer_pointer()
    for written in range(6):
        buffer = step(buffer, written, jax.numpy.full(2, float(written)))
    assert buffer[:, 0].tolist() == [4, 5, 2, 3]
    assert buffer.unsafe_buffer_pointer() == pointer
