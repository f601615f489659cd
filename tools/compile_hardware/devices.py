"""Devices to compile for in JAX without having them: one NVIDIA H100 or more, and TPU v5e chips.

JAX must be imported after ``prepare``. The TPU's compiler is in the wheel ``libtpu``, the GPU's in
``jax-cuda12-plugin``; neither needs a driver or, for an H100, one of CUDA's libraries.
"""

import os
from typing import Any

# In the order of the table's columns.
TITLES = {"h100": "NVIDIA H100", "v5e": "TPU v5e"}

_ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    # XLA would choose between kernels by timing them, and has no device to do so. Compiling kernels
    # in parallel, it once hung on two cores.
    "XLA_FLAGS": "--xla_gpu_autotune_level=0 --xla_gpu_force_compilation_parallelism=1",
    # Otherwise libtpu asks a cloud's metadata service about the TPU it is on, and waits.
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_ACCELERATOR_TYPE": "v5litepod-8",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_STDERR_LOG_LEVEL": "3",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}

# XLA's `GpuTargetConfigProto`. The figures are NVIDIA's, of the H100 SXM5 with 80 GB.
_H100 = """
gpu_device_info {
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: 233472
  threads_per_core_limit: 2048
  core_count: 132
  fpus_per_core: 128
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000
  l2_cache_size: 52428800
  clock_rate_ghz: 1.98
  device_memory_size: 84929347584
  shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
}
runtime_version: { major: 12 minor: 8 patch: 0 }
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 7 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""
# The TPU slices there are; a program on one device is compiled for the first chip of the smallest.
_SLICES = {4: "2x2", 8: "2x4", 16: "4x4", 64: "8x8", 256: "16x16"}


def prepare() -> None:
    """Set the variables that JAX's plugins read; call it before JAX is imported."""
    os.environ.update(_ENVIRONMENT)


def devices(kind: str, count: int) -> list[Any]:
    """The first devices of a kind.

    Args:
        kind: ``h100`` or ``v5e``.
        count: up to eight H100s, which are in one machine, or a multiple of eight.

    Raises:
        ValueError: no TPU slice has that many chips.
        RuntimeError: the kind's plugin is not installed.
    """
    from jax.experimental import topologies

    if kind == "h100":
        shape = f"1x{max(1, count // 8)}x{min(count, 8)}"  # processes, machines, GPUs in each
        topology = topologies.get_topology_desc(
            platform="cuda", topology_name=kind, topology=shape, target_config=_H100
        )
    else:
        chips = 4 if count == 1 else count
        if chips not in _SLICES:
            raise ValueError(f"a {kind} slice has one of {list(_SLICES)} chips, not {count}")
        name = f"{kind}:{_SLICES[chips]}"
        topology = topologies.get_topology_desc(platform="tpu", topology_name=name)
    return list(topology.devices[:count])
