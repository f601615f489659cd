"""A step that replaces its state."""

import numpy as np
import pytest
from memory_counts import allocated
from needs import needs_compiler

N = 1000


def out_of_place(parameters, velocity, gradient):
    velocity = 0.9 * velocity + gradient
    return parameters - 0.1 * velocity, velocity


def test_the_donated_state_is_where_it_was(jax, in_jax) -> None:
    step = jax.jit(in_jax.momentum_step, donate_argnums=(0, 1))
    state = [jax.numpy.ones(N) for _ in range(3)]
    before = [array.unsafe_buffer_pointer() for array in state]
    after = step(*state)
    assert [array.unsafe_buffer_pointer() for array in after] == before[:2]
    assert [array.is_deleted() for array in state] == [True, True, False]


def test_all_names_of_a_donated_array_are_gone(jax, in_jax) -> None:
    step = jax.jit(in_jax.momentum_step, donate_argnums=(0, 1))
    parameters, velocity, gradient = (jax.numpy.ones(N) for _ in range(3))
    kept = {"best": parameters}
    step(parameters, velocity, gradient)
    assert kept["best"].is_deleted()
    with pytest.raises(RuntimeError, match="Array has been deleted"):
        kept["best"].sum()
    assert velocity.nbytes == 4 * N  # shape and dtype are still there


@pytest.mark.filterwarnings("error")
def test_while_numpy_looks_on_a_donated_array_stays(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("elsewhere NumPy gets a copy")
    add = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jax.numpy.ones(N)
    before, view = x.unsafe_buffer_pointer(), np.asarray(x)
    after = add(x)
    assert after.unsafe_buffer_pointer() != before
    assert not x.is_deleted()
    assert view[0] == 1
    del view
    assert add(x).unsafe_buffer_pointer() == before
    assert x.is_deleted()


def test_a_torch_tensor_of_the_same_memory_holds_it_too(jax, torch) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("the tensor would be elsewhere")
    x = jax.numpy.ones(N)
    tensor = torch.from_dlpack(x)
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    assert not x.is_deleted()
    assert tensor[0] == 1


def test_jax_warns_of_an_argument_that_fits_no_result(jax, in_jax) -> None:
    step = jax.jit(in_jax.momentum_step, donate_argnums=(0, 1, 2))
    state = [jax.numpy.ones(N) for _ in range(3)]
    with pytest.warns(UserWarning, match="Some donated buffers were not usable"):
        step(*state)
    assert [array.is_deleted() for array in state] == [True, True, False]


def test_torch_allocates_nothing_of_the_state_s_size_in_place(torch, in_torch) -> None:
    state = [torch.ones(N) for _ in range(3)]
    before = [tensor.data_ptr() for tensor in state]
    most, left = allocated(torch, in_torch.momentum_step, *state)
    assert most < 100  # the numbers 0.9 and 0.1
    assert left == 0
    assert [tensor.data_ptr() for tensor in state] == before


def test_out_of_place_torch_holds_three_more_arrays_at_once(torch) -> None:
    state = [torch.ones(N) for _ in range(3)]
    most, left = allocated(torch, out_of_place, *state)
    assert 3 * 4 * N <= most < 3 * 4 * N + 100
    assert left == 2 * 4 * N


@needs_compiler
def test_compiled_in_place_torch_allocates_nothing(torch, in_torch) -> None:
    compiled = torch.compile(in_torch.momentum_step)
    state = [torch.ones(N) for _ in range(3)]
    compiled(*state)
    assert allocated(torch, compiled, *state) == (0, 0)


def test_a_step_before_backward_is_an_error_in_torch(torch, in_torch) -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w * w).sum()
    in_torch.momentum_step(w, torch.zeros(3), torch.ones(3))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_step_before_backward_passes_where_the_gradient_does_not_need_the_old_value(
    torch, in_torch
) -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w * 2).sum()
    in_torch.momentum_step(w, torch.zeros(3), torch.ones(3))
    loss.backward()
    assert w.grad.tolist() == [2, 2, 2]
