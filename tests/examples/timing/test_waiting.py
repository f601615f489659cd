"""When a call has returned and its work is not done, and what waits for it."""

import time

import numpy as np
import pytest

from jaxvstorch.measure import fresh_calls, steady

SIDE = 1_500  # a product that takes tens of milliseconds


@pytest.fixture
def product(jax):
    """A compiled product that has been called once, and its operand."""
    matmul, a = jax.jit(jax.numpy.matmul), jax.numpy.ones((SIDE, SIDE))
    matmul(a, a).block_until_ready()
    return matmul, a


def test_a_jax_call_returns_before_its_work_is_done(product) -> None:
    matmul, a = product
    start = time.perf_counter()
    result = matmul(a, a)
    asked = time.perf_counter() - start
    assert not result.is_ready()
    result.block_until_ready()
    assert time.perf_counter() - start > 3 * asked
    assert result.is_ready()


@pytest.mark.parametrize(
    "look", [str, np.asarray, lambda array: float(array[0, 0])], ids=["str", "asarray", "float"]
)
def test_whatever_needs_the_numbers_waits_for_them(product, look) -> None:
    matmul, a = product
    results = [matmul(a, a) for _ in range(3)]
    assert not results[-1].is_ready()
    look(results[-1])
    assert results[-1].is_ready()


def test_block_until_ready_waits_for_a_whole_pytree(jax, product) -> None:
    matmul, a = product
    tree = {"one": matmul(a, a), "two": [matmul(a, a), 1.0]}
    jax.block_until_ready(tree)
    assert tree["one"].is_ready()
    assert tree["two"][0].is_ready()


def test_block_until_ready_lets_a_tensor_and_numbers_pass(jax, torch) -> None:
    tensor = torch.ones(3)
    assert jax.block_until_ready(tensor) is tensor
    assert jax.block_until_ready([1.0, 2]) == [1.0, 2]
    with pytest.raises(AttributeError, match="block_until_ready"):
        tensor.block_until_ready()


def test_a_tracer_cannot_be_waited_for(jax, in_jax) -> None:
    x = jax.numpy.ones(3)
    with pytest.raises(AttributeError, match="not available on traced array"):
        jax.jit(lambda x: in_jax.selu(x).block_until_ready())(x)
    # The function takes a tracer, and waits for nothing.
    jax.jit(lambda x: jax.block_until_ready(in_jax.selu(x)))(x)


def test_torchs_timer_has_one_thread_unless_told(torch) -> None:
    from torch.utils.benchmark import Timer

    statement = {"stmt": "x + 1", "globals": {"x": torch.ones(3)}}
    assert Timer(**statement).blocked_autorange(min_run_time=0.001).num_threads == 1
    two = Timer(**statement, num_threads=2)
    assert two.blocked_autorange(min_run_time=0.001).num_threads == 2


def test_the_instruments_say_what_they_cannot_time(jax, in_jax) -> None:
    x = jax.numpy.ones(3)
    with pytest.raises(TypeError, match="function must be callable"):
        steady(in_jax.selu(x))
    with pytest.raises(TypeError, match="importable by its name"):
        fresh_calls(lambda x: x, (x,))
