"""JAX compiles for each shape, and says nothing; a few padded sizes share their programs."""

import logging

import numpy as np
import pytest
from shape_programs import EIGHT

from jaxvstorch import ledger

LENGTHS = range(10, 50, 5)


@pytest.fixture
def jax_log():
    """What JAX logs at the level of warnings or above."""
    seen = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: seen.append(record.getMessage())
    logging.getLogger("jax").addHandler(handler)
    yield seen
    logging.getLogger("jax").removeHandler(handler)


def test_each_length_is_a_program_of_its_own(jax, in_jax) -> None:
    calls = [(jax.numpy.ones(n),) for n in (*EIGHT, *EIGHT)]
    assert ledger(jax.jit(in_jax.center), calls).programs == [1] * 8 + [0] * 8


def test_there_is_no_limit_to_the_programs_of_a_function(jax) -> None:
    double = jax.jit(lambda x: 2 * x)
    assert ledger(double, [(np.ones(n, np.float32),) for n in range(30)]).programs == [1] * 30


def test_sizes_of_zero_and_one_are_sizes_like_others(jax) -> None:
    double = jax.jit(lambda x: 2 * x)
    calls = [(np.ones(n, np.float32),) for n in (1, 0, 4, 0, 1)]
    assert ledger(double, calls).programs == [1, 1, 1, 0, 0]


def test_it_logs_a_compilation_only_if_asked_to(jax, jax_log) -> None:
    double = jax.jit(lambda x: 2 * x)
    double(np.ones(2, np.float32))
    assert jax_log == []
    with jax.log_compiles():
        double(np.ones(3, np.float32))
    assert any("Compiling jit(<lambda>)" in message for message in jax_log)


def test_a_program_made_ahead_of_time_refuses_another_length(jax, in_jax) -> None:
    x = jax.numpy.ones(4)
    fixed = jax.jit(in_jax.center).lower(x).compile()
    assert fixed(x).tolist() == [0] * 4
    with pytest.raises(TypeError, match=r"compiled with float32\[4\] and called with float32\[5\]"):
        fixed(jax.numpy.ones(5))


def padded_calls(in_jax, lengths):
    """NumPy does the padding, so that JAX sees the padded arrays alone."""
    for n in lengths:
        x = np.ones(n, np.float32)
        yield np.pad(x, (0, in_jax._next_bucket(n) - n)), np.int32(n)


def test_padded_to_buckets_eight_lengths_are_three_programs(jax, in_jax) -> None:
    calls = list(padded_calls(in_jax, LENGTHS))
    assert [len(x) for x, _ in calls] == [16, 16, 32, 32, 32, 64, 64, 64]
    assert ledger(jax.jit(in_jax.center_padded), calls).programs == [1, 0, 1, 0, 0, 1, 0, 0]


def test_padded_to_the_longest_they_are_one_program(jax, in_jax) -> None:
    calls = [(np.ones(64, np.float32), np.int32(n)) for n in LENGTHS]
    assert ledger(jax.jit(in_jax.center_padded), calls).programs == [1] + [0] * 7


def test_padding_inside_the_compiled_function_saves_no_program(jax, in_jax) -> None:
    def center(x):
        return in_jax.center_padded(in_jax.pad_to_bucket(x), jax.numpy.int32(x.shape[0]))

    calls = [(np.ones(n, np.float32),) for n in LENGTHS]
    assert ledger(jax.jit(center), calls).programs == [1] * 8


def test_jnp_pad_compiles_a_small_program_for_each_length(jax, in_jax, compiled_by_jax) -> None:
    arrays = [jax.numpy.asarray(np.ones(n, np.float32)) for n in LENGTHS]
    compiled_by_jax.clear()
    for x in arrays:
        in_jax.pad_to_bucket(x)
    assert compiled_by_jax == ["jit(_pad)"] * 8


def test_numpy_pads_without_a_program(jax, in_jax, compiled_by_jax) -> None:
    list(padded_calls(in_jax, LENGTHS))
    assert compiled_by_jax == []


def test_outside_jit_each_operation_compiles_for_each_length(jax, compiled_by_jax) -> None:
    arrays = [jax.numpy.asarray(np.ones(n, np.float32)) for n in (4, 5, 5)]
    compiled_by_jax.clear()
    for x in arrays:
        jax.numpy.sin(x)
    assert compiled_by_jax == ["jit(sin)"] * 2
