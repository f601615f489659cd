"""What keeps arrays in memory, and how it is found."""

import functools
import gc
import gzip
import weakref

import numpy as np
import pytest
from memory_counts import allocated

N = 1000


def test_live_arrays_lists_an_array_until_it_is_gone(jax) -> None:
    def bytes_of(size):
        return sum(array.nbytes for array in jax.live_arrays() if array.shape == (size,))

    x = jax.numpy.ones(12_345)
    assert bytes_of(12_345) == x.nbytes
    kept = {"x": x}
    del x
    assert bytes_of(12_345) == 4 * 12_345
    kept["x"].delete()  # whoever holds it
    assert bytes_of(12_345) == 0


def test_numpy_s_view_keeps_the_array_alive(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("elsewhere NumPy gets a copy")
    x = jax.numpy.arange(float(N))
    alive, view = weakref.ref(x), np.asarray(x)
    pointer = x.unsafe_buffer_pointer()
    del x
    gc.collect()
    assert view.ctypes.data == pointer
    assert view[-1] == N - 1
    assert any(array is alive() for array in jax.live_arrays())


def test_jit_keeps_a_captured_array_until_its_cache_is_cleared(jax) -> None:
    table = jax.numpy.arange(float(N))
    alive = weakref.ref(table)
    scope = {"table": table}
    scaled = jax.jit(lambda x: x * scope["table"])
    scaled(jax.numpy.ones(N))
    del table
    scope.clear()
    gc.collect()
    assert alive() is not None
    scaled.clear_cache()
    gc.collect()
    assert alive() is None


def test_deleting_the_jitted_function_frees_what_it_captured(jax) -> None:
    table = jax.numpy.arange(float(N))
    alive = weakref.ref(table)
    scope = {"table": table}
    scaled = jax.jit(lambda x: x * scope["table"])
    scaled(jax.numpy.ones(N))
    del table, scaled
    scope.clear()
    gc.collect()
    assert alive() is None


def test_jax_warns_of_captured_arrays_above_a_limit(jax) -> None:
    table = jax.numpy.arange(float(N))
    before = jax.config.values["jax_captured_constants_warn_bytes"]
    assert before == 2_000_000_000
    jax.config.update("jax_captured_constants_warn_bytes", 1000)
    try:
        with pytest.warns(UserWarning, match="constants were captured"):
            jax.jit(lambda x: x * table).lower(jax.numpy.ones(N))
    finally:
        jax.config.update("jax_captured_constants_warn_bytes", before)


def test_torch_compile_does_not_keep_a_tensor_that_a_global_named(torch) -> None:
    scope = {"table": torch.ones(N)}
    alive = weakref.ref(scope["table"])
    compiled = torch.compile(lambda x: x * scope["table"], backend="eager")
    compiled(torch.ones(N))
    scope.clear()
    gc.collect()
    assert alive() is None


def test_lru_cache_keeps_what_it_returned_and_torch_tensors_it_was_given(jax, torch) -> None:
    @functools.lru_cache
    def table(size):
        return jax.numpy.arange(size)

    @functools.lru_cache
    def norm(x):
        return x.norm()

    tensor = torch.ones(N)
    norm(tensor)
    returned, given = weakref.ref(table(N)), weakref.ref(tensor)
    del tensor
    gc.collect()
    assert returned() is not None
    assert given() is not None
    table.cache_clear()
    norm.cache_clear()
    assert returned() is None
    assert given() is None
    with pytest.raises(TypeError, match="unhashable"):
        norm(jax.numpy.ones(3))


@pytest.mark.parametrize(
    ("kept", "backward", "left"),
    [
        ("loss", False, 4 * (N + 1)),
        ("loss", True, 4),
        ("loss", "retained", 4 * (N + 1)),
        ("detach", False, 4),
        ("item", False, 0),
    ],
)
def test_a_list_of_losses_keeps_what_backward_has_not_freed(torch, kept, backward, left) -> None:
    w = torch.ones(N, requires_grad=True)
    w.grad = torch.zeros(N)

    def steps():
        losses = []
        for _ in range(3):
            loss = (w * 2).exp().sum()
            if backward:
                loss.backward(retain_graph=backward == "retained")
            losses.append({"loss": loss, "detach": loss.detach(), "item": loss.item()}[kept])
        return losses

    after = allocated(torch, steps)[1]
    assert 3 * left <= after < 3 * left + 100


def test_a_sum_of_losses_keeps_a_node_of_each_step_after_backward(torch) -> None:
    def nodes(steps):
        w, total = torch.ones(N, requires_grad=True), 0
        for _ in range(steps):
            loss = (w * 2).exp().sum()
            loss.backward()
            total = total + loss
        found, left = set(), [total.grad_fn]
        while left:
            node = left.pop()
            if node is not None and node not in found:
                found.add(node)
                left += [inner for inner, _ in node.next_functions]
        return len(found)

    assert nodes(6) - nodes(5) == nodes(5) - nodes(4) > 0


def test_a_small_view_keeps_the_whole_in_torch_and_a_slice_is_a_copy_in_jax(jax, torch) -> None:
    view = torch.ones(N)[:1]
    assert (view.nbytes, view.untyped_storage().nbytes()) == (4, 4 * N)
    assert view.clone().untyped_storage().nbytes() == 4
    x = jax.numpy.ones(N)
    assert x[:1].unsafe_buffer_pointer() != x.unsafe_buffer_pointer()


def test_an_exception_keeps_the_arrays_of_its_frames(jax) -> None:
    alive = []

    def fails():
        x = jax.numpy.ones(N)
        alive.append(weakref.ref(x))
        raise ValueError

    try:
        fails()
    except ValueError as error:
        caught = error
    assert alive[0]() is not None
    del caught
    gc.collect()
    assert alive[0]() is None


def test_a_cycle_keeps_its_array_until_it_is_collected(jax) -> None:
    class Holder:
        pass

    holder = Holder()
    holder.me, holder.array = holder, jax.numpy.ones(N)
    alive = weakref.ref(holder.array)
    gc.collect()
    gc.disable()
    try:
        del holder
        assert alive() is not None
        gc.collect()
        assert alive() is None
    finally:
        gc.enable()


def make_array_for_the_profile(jax):
    return jax.numpy.ones(54_321) * 2


def test_jax_s_memory_profile_names_the_function_that_made_an_array(jax, tmp_path) -> None:
    kept = make_array_for_the_profile(jax)
    kept.block_until_ready()
    path = tmp_path / "memory.prof"
    jax.profiler.save_device_memory_profile(str(path))
    content = gzip.decompress(path.read_bytes())
    assert b"make_array_for_the_profile" in content


def test_more_memory_than_there_is_is_an_error_at_once(jax, torch) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED: Out of memory"):
        jax.numpy.zeros(2**45).block_until_ready()
    with pytest.raises(RuntimeError, match="can't allocate memory"):
        torch.zeros(2**45)
    assert float(jax.numpy.ones(3).sum()) == float(torch.ones(3).sum()) == 3  # both go on


@pytest.mark.parametrize(
    ("value", "preallocates"), [("false", False), ("False", False), ("0", False), ("FALSE", True)]
)
def test_jax_reads_so_whether_to_take_a_gpu_s_memory_at_once(
    jax, monkeypatch, value, preallocates
) -> None:
    from jaxlib import xla_client

    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", value)
    assert xla_client.generate_pjrt_gpu_plugin_options()["preallocate"] is preallocates


def test_jax_reads_either_name_of_the_fraction_and_refuses_both(jax, monkeypatch) -> None:
    from jaxlib import xla_client

    monkeypatch.setenv("XLA_PYTHON_CLIENT_MEM_FRACTION", ".4")
    assert xla_client.generate_pjrt_gpu_plugin_options()["memory_fraction"] == 0.4
    monkeypatch.setenv("XLA_CLIENT_MEM_FRACTION", ".4")
    with pytest.raises(ValueError, match="is specified together"):
        xla_client.generate_pjrt_gpu_plugin_options()
    monkeypatch.delenv("XLA_PYTHON_CLIENT_MEM_FRACTION")
    assert xla_client.generate_pjrt_gpu_plugin_options()["memory_fraction"] == 0.4


def test_live_arrays_may_list_one_memory_twice(jax) -> None:
    table = jax.numpy.arange(float(N))
    pointer = table.unsafe_buffer_pointer()
    scaled = jax.jit(lambda x: x * table)
    scaled(jax.numpy.ones(N))
    found = [array.unsafe_buffer_pointer() for array in jax.live_arrays()]
    if jax.__version_info__ < (0, 11):
        assert found.count(pointer) == 2  # the array, and what the program was made with


def test_a_view_of_numpy_outlives_the_deleted_array(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("elsewhere NumPy gets a copy")
    x = jax.numpy.arange(float(N))
    view = np.asarray(x)
    x.delete()
    assert view.sum() == N * (N - 1) / 2
