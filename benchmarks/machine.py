"""What a result depends on besides the code: machine, versions, threads, settings."""

import importlib.metadata
import os
import platform
import re
import time
from pathlib import Path
from typing import Any

from benchmarks import devices
from jaxvstorch.doctor.settings import usable_cores

CORES = usable_cores()
# Set in every process of a session, before a framework is imported.
ENVIRONMENT = {
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "JAX_ENABLE_COMPILATION_CACHE": "false",
    "JAX_DEFAULT_MATMUL_PRECISION": "highest",
    "OMP_NUM_THREADS": str(CORES),
    "OPENBLAS_NUM_THREADS": str(CORES),
    # Where TORCH_COMPILE_JOB_ID is set, PyTorch would keep the first sweep's shapes on disk, and a
    # later sweep's code would be general.
    "TORCH_DYNAMO_AUTOMATIC_DYNAMIC_LOCAL_PGO": "0",
    "NPROC": str(CORES),  # JAX's threads; by itself it would not see a container's quota
}

_PACKAGES = {
    "numpy": ("numpy", "pytest-benchmark", "jaxvstorch"),
    "jax": ("jax", "jaxlib"),
    "torch": ("torch",),
}


def describe() -> dict[str, Any]:
    """The machine and its GPUs."""
    return {
        "cpu": cpu_model(),
        "cores": CORES,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        **devices.gpus(),
    }


def cpu_model() -> str:
    """The processor's own name, where the system tells it."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def slug() -> str:
    """A file name for this machine."""
    words = f"{cpu_model()} {CORES} cores"
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def set_threads(framework: str) -> None:
    """As many threads as this process may use cores; the environment sets JAX's and NumPy's."""
    if framework == "torch":
        import torch

        torch.set_num_threads(CORES)


def set_up(framework: str) -> float:
    """Do what a framework does once, before it first compiles anything; returns the seconds.

    Both start a GPU, once per process. PyTorch finds out, once per machine, which vector
    instructions the processor has.
    """
    start = time.perf_counter()
    if framework == "jax":
        import jax

        jax.devices()
    if framework == "torch":
        import torch
        from torch._inductor.cpu_vec_isa import pick_vec_isa

        if torch.cuda.is_available():
            torch.cuda.synchronize()
        pick_vec_isa()
    return time.perf_counter() - start


def threads(framework: str) -> int:
    """How many threads compute, as the framework or its process tells."""
    if framework == "torch":
        import torch

        return torch.get_num_threads()
    if framework == "jax":
        names = [p.read_text().strip() for p in Path("/proc/self/task").glob("*/comm")]
        return sum(name.startswith("tf_XLAEigen") for name in names)
    return int(os.environ["OPENBLAS_NUM_THREADS"])


def versions(framework: str) -> dict[str, str]:
    """The packages that matter to a framework's times."""
    return {name: importlib.metadata.version(name) for name in _PACKAGES[framework]}
