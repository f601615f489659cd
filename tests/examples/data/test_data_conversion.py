"""From a batch to an array of JAX: what is copied, what is shared, which dtype it has."""

import numpy as np
import pytest
from loading import load

from jaxvstorch.examples.data.sources import Points


def aligned(count: int, by: int = 0) -> np.ndarray:
    """Floats whose address is a multiple of 64 bytes, or ``by`` bytes further."""
    memory = np.zeros(4 * count + 128, np.uint8)
    start = -memory.ctypes.data % 64 + by
    return memory[start : start + 4 * count].view(np.float32)


@pytest.fixture
def on_cpu(jax):
    if jax.default_backend() != "cpu":
        pytest.skip("elsewhere everything is copied to the device")
    return jax


def test_the_default_batch_is_of_tensors_and_a_collate_function_changes_that(torch) -> None:
    x, y = next(iter(torch.utils.data.DataLoader(Points(), 4)))
    assert x.dtype == torch.float32
    assert y.dtype == torch.int64
    x, y = next(iter(load(torch, Points(), 4)))
    assert isinstance(x, np.ndarray)
    assert (x.dtype, y.dtype) == (np.float32, np.int64)


def test_default_collate_keeps_float64_and_jax_does_not(torch, jax) -> None:
    batch = torch.utils.data.default_collate([np.ones(3), np.zeros(3)])
    assert batch.dtype == torch.float64
    assert jax.numpy.asarray(batch.numpy()).dtype == np.float32
    assert jax.numpy.asarray(np.arange(3)).dtype == np.int32
    assert jax.numpy.from_dlpack(torch.arange(8)).dtype == np.int32
    assert jax.numpy.asarray(np.array([2**32 + 1])).tolist() == [1]  # nobody says so


def test_dlpack_shares_a_tensor_s_memory(torch, on_cpu) -> None:
    t = torch.arange(64.0)
    x = on_cpu.numpy.from_dlpack(t)
    assert x.unsafe_buffer_pointer() == t.data_ptr()
    back = torch.from_dlpack(x)
    assert back.data_ptr() == t.data_ptr()
    t[0] = 7
    assert x[0] == 7


@pytest.mark.parametrize("skipped", [1, 2, 4, 8])
def test_what_is_not_aligned_to_64_bytes_is_copied(torch, on_cpu, skipped) -> None:
    t = torch.arange(64.0)[skipped:]
    assert on_cpu.numpy.from_dlpack(t).unsafe_buffer_pointer() != t.data_ptr()
    with pytest.raises(ValueError, match="not aligned to 64 bytes"):
        on_cpu.numpy.from_dlpack(t, copy=False)
    after_64_bytes = torch.arange(64.0)[16:]
    assert on_cpu.numpy.from_dlpack(after_64_bytes).unsafe_buffer_pointer() == (
        after_64_bytes.data_ptr()
    )


def test_a_tensor_with_gaps_is_no_dlpack_for_jax(torch, on_cpu) -> None:
    t = torch.arange(64.0)
    with pytest.raises(on_cpu.errors.JaxRuntimeError, match="with trivial"):
        on_cpu.numpy.from_dlpack(t[::2])
    assert on_cpu.numpy.from_dlpack(t[::2].contiguous()).tolist() == t[::2].tolist()
    square = t.reshape(8, 8).T  # the whole of a memory, in another order
    assert on_cpu.numpy.from_dlpack(square).unsafe_buffer_pointer() == t.data_ptr()


def test_another_dtype_is_copied(torch, on_cpu) -> None:
    t = torch.arange(64)
    assert on_cpu.numpy.from_dlpack(t).unsafe_buffer_pointer() != t.data_ptr()


def test_device_put_shares_numpy_s_memory_where_it_is_aligned(on_cpu) -> None:
    for by, shared in ((0, True), (4, False), (32, False)):
        x = aligned(256, by)
        array = on_cpu.device_put(x).block_until_ready()
        assert (array.unsafe_buffer_pointer() == x.ctypes.data) is shared
        x[:] = 7
        assert bool(array[0] == 7) is shared


def test_asarray_and_a_copy_by_numpy_do_not_share(on_cpu) -> None:
    for make in (on_cpu.numpy.asarray, on_cpu.numpy.array, lambda x: on_cpu.device_put(x.copy())):
        x = aligned(256)
        array = make(x).block_until_ready()
        x[:] = 7
        assert array[0] == 0


def test_what_should_force_a_copy_does_not(on_cpu) -> None:
    jnp = on_cpu.numpy
    for make in (
        lambda x: on_cpu.device_put(x, may_alias=False),
        lambda x: jnp.from_dlpack(x, copy=True),
    ):
        x = aligned(256)
        array = make(x).block_until_ready()
        assert array.unsafe_buffer_pointer() == x.ctypes.data
