"""When a call has returned and its work is not done, and what waits for it."""

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
    results = [matmul(a, a) for _ in range(8)]
    assert not results[-1].is_ready()
    results[-1].block_until_ready()
    assert results[-1].is_ready()


def test_a_small_program_is_computed_before_its_call_returns(jax) -> None:
    loop = jax.jit(lambda x: jax.lax.fori_loop(0, 100_000, lambda i, y: 0.9 * y + 1, x))
    x = jax.numpy.ones(9)
    loop(x).block_until_ready()
    assert loop(x).is_ready()


def test_jax_keeps_the_call_stack_of_each_call_with_its_result(jax) -> None:
    add, x = jax.jit(lambda x: x + 1), jax.numpy.ones(1)
    add(x)  # compiling has frames of its own

    def frames_from(depth: int) -> int:
        return frames_from(depth - 1) if depth else len(add(x).traceback.frames)

    assert frames_from(200) - frames_from(0) == 200


@pytest.mark.parametrize("look", [str, np.asarray])
def test_whatever_needs_the_numbers_waits_for_them(jax, product, look) -> None:
    matmul, a = product
    results = [matmul(a, a) for _ in range(8)]
    assert not results[-1].is_ready()
    said = str(look(results[-1]))
    if look is str and jax.__version_info__ >= (0, 12):
        assert said == f"Array(shape=({SIDE}, {SIDE}), dtype=float32)"  # it needs no numbers
        return
    assert said == str(np.full((SIDE, SIDE), SIDE, np.float32))


def test_a_float_waits_for_its_number(jax, product) -> None:
    _, a = product
    mean = jax.jit(lambda a: (a @ a).mean())
    mean(a).block_until_ready()
    result = mean(a)
    # An array of which only a part was read may call itself ready a moment later.
    assert float(result) == pytest.approx(SIDE)
    assert result.is_ready()


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
