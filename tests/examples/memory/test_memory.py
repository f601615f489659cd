"""What no cell of the pages can show: it needs a process of its own, or private names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """
def initialize():
    from jaxlib import xla_client

    xla_client.generate_pjrt_gpu_plugin_options()
"""
SHARDED = """
import jax

mesh = jax.make_mesh((2,), ("i",))
x = jax.device_put(jax.numpy.ones(8), jax.NamedSharding(mesh, jax.P("i")))
assert sum(shard.data.nbytes for shard in x.addressable_shards) == x.nbytes == 32
x.unsafe_buffer_pointer()
"""
NOTEBOOK = """
import gc
import weakref
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
shell.run_cell("import jax.numpy as jnp, weakref")
for last, kept in ("x", True), ("x;", False):
    shell.run_cell("x = jnp.ones(1000); seen = weakref.ref(x)")
    shell.run_cell(last, store_history=True)
    shell.run_cell("del x")
    gc.collect()
    assert (shell.user_ns["seen"]() is not None) == kept, last
"""


def python(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if key != "JAX_PLATFORMS"}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=inherited | settings,
    )


@pytest.mark.parametrize("fraction", ["40%", ".4"])
def test_jax_only_logs_a_wrong_setting_and_goes_on_without_the_plugin(jax, tmp_path, fraction):
    if jax.default_backend() != "cpu":
        pytest.skip("the pretended plugin stands for the one of a GPU")
    folder = tmp_path / "jax_plugins" / "pretended"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PLUGIN)
    settings = {"XLA_CLIENT_MEM_FRACTION": fraction, "PYTHONPATH": str(tmp_path)}
    if fraction == ".4":
        settings["XLA_PYTHON_CLIENT_MEM_FRACTION"] = fraction
    run = python("import jax; print(jax.devices()[0].platform)", **settings)
    assert run.returncode == 0
    assert run.stdout == "cpu\n"
    assert "Jax plugin configuration error" in run.stderr
    assert "ValueError" in run.stderr


def test_an_array_on_two_devices_has_no_single_address(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("two devices are pretended on a CPU")
    run = python(SHARDED, XLA_FLAGS="--xla_force_host_platform_device_count=2")
    assert "is supported only for unsharded arrays" in run.stderr


def test_a_notebook_keeps_what_a_cell_has_shown(jax) -> None:
    pytest.importorskip("IPython")
    run = python(NOTEBOOK)
    assert run.returncode == 0, run.stderr


def test_torch_reads_the_older_name_of_its_setting_first(torch) -> None:
    header = Path(torch.__file__).parent / "include/c10/cuda/CUDAAllocatorConfig.h"
    if not header.exists() or not torch.__version__.startswith("2.13"):
        pytest.skip("read in the header of PyTorch 2.13")
    text = header.read_text()
    assert 0 < text.index('"PYTORCH_CUDA_ALLOC_CONF"') < text.index('"PYTORCH_ALLOC_CONF"')


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


def test_the_profiler_does_not_see_what_was_there_before_go(torch) -> None:
    before = [torch.ones(10_000)]
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as run:
        before.clear()
    assert sum(row.self_cpu_memory_usage for row in run.key_averages()) == 0
