"""What is known before a program runs."""

import numpy as np
import pytest
from memory_counts import allocated, analysis, gradient, shapes, temporary

N = 1000


@pytest.mark.parametrize(("donated", "shared"), [((), 0), ((0,), 1), ((0, 1), 2)])
def test_jax_counts_arguments_results_and_what_they_share(jax, in_jax, donated, shared) -> None:
    state = shapes(jax, (N,), (N,), (N,))
    memory = analysis(jax, in_jax.momentum_step, *state, donate_argnums=donated)
    assert memory.argument_size_in_bytes == 3 * 4 * N
    assert memory.alias_size_in_bytes == shared * 4 * N
    assert memory.temp_size_in_bytes < 100
    table = memory.output_size_in_bytes - 2 * 4 * N  # of pointers, where there are two results
    assert 0 <= table < 100


def test_jax_counts_for_arrays_that_no_memory_holds(jax) -> None:
    (huge,) = shapes(jax, (2**45,))
    memory = analysis(jax, lambda x: jax.numpy.sort(x * 2), huge)
    assert memory.argument_size_in_bytes == memory.output_size_in_bytes == 2**47


def test_jax_0_10_leaves_temporaries_out_of_the_peak_on_a_cpu(jax, in_jax) -> None:
    if jax.default_backend() != "cpu" or jax.__version_info__ >= (0, 11):
        pytest.skip("seen with JAX 0.10 on a CPU")
    memory = analysis(jax, in_jax.attention_full, *shapes(jax, *[(256, 8)] * 3))
    assert memory.temp_size_in_bytes >= 4 * 256 * 256
    assert memory.peak_memory_in_bytes < 4 * 256 * 256


def test_an_unused_argument_needs_no_memory(jax) -> None:
    memory = analysis(jax, lambda x, y: x + 1, *shapes(jax, (N,), (N,)))
    assert memory.argument_size_in_bytes == 4 * N


def test_a_captured_array_counts_as_no_argument(jax) -> None:
    table = np.arange(N, dtype=np.float32)
    (x,) = shapes(jax, (N,))
    captured = jax.jit(lambda x: x * jax.numpy.asarray(table)).lower(x)
    assert captured.compile().memory_analysis().argument_size_in_bytes == 4 * N
    passed = analysis(jax, lambda x, table: x * table, x, x)
    assert passed.argument_size_in_bytes == 2 * 4 * N
    assert len(captured.as_text()) > 2 * 4 * N  # two hexadecimal digits for each byte


@pytest.mark.parametrize("name", ["layers", "layers_rematerialized", "layers_in_segments"])
def test_torch_saves_as_much_on_the_meta_device(torch, in_torch, name) -> None:
    def saved(device):
        x, weights = (
            torch.ones(shape, device=device, requires_grad=True) for shape in ((8, 16), (4, 16, 16))
        )
        kept = []

        def pack(tensor):
            kept.append((tensor.shape, tensor.nbytes))
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            getattr(in_torch, name)(x, weights)
        return kept

    assert saved("meta") == saved("cpu")
    assert saved("cpu")


def test_the_profiler_sees_no_memory_on_the_meta_device(torch, in_torch) -> None:
    on_cpu, on_meta = (
        [torch.ones(64, device=device) for _ in range(3)] for device in ("cpu", "meta")
    )
    assert allocated(torch, in_torch.momentum_step, *on_meta)[0] < 100  # two numbers on the CPU
    assert allocated(torch, lambda *a: in_torch.momentum_step(*a)[0] * 2, *on_cpu)[1] == 4 * 64


def test_the_profiler_does_not_see_what_was_there_before_go(torch) -> None:
    before = [torch.ones(10_000)]
    assert allocated(torch, before.clear) == (0, 0)


def test_the_counters_for_cuda_give_0_for_what_is_on_the_cpu(torch) -> None:
    if torch.cuda.is_available():
        pytest.skip("the sentence is for a machine without a GPU")
    kept = torch.ones(1000)
    assert torch.cuda.memory_allocated() == torch.cuda.max_memory_allocated() == 0
    assert kept.nbytes == 4000


def test_jax_has_no_counters_on_a_cpu(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("the sentence is for a CPU")
    assert jax.devices()[0].memory_stats() is None


def test_a_gradient_needs_what_was_kept(jax, in_jax) -> None:
    x = shapes(jax, (256, 64), (16, 64, 64))
    assert temporary(jax, gradient(jax, in_jax.layers, 2), *x) > temporary(jax, in_jax.layers, *x)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_tracker_of_torch_distributed_counts_modules_of_fake_tensors(torch) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    with FakeTensorMode():
        model = torch.nn.Linear(10_000, 10_000)
        tracker = MemTracker()
        tracker.track_external(model)
        with tracker:
            model(torch.ones(1, 10_000)).sum().backward()
        found = tracker.get_tracker_snapshot("peak")[torch.device("cpu")]
    assert found["Total"] >= 2 * 4 * 10_000**2  # parameters and their gradients
