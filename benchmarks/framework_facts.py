"""What a framework says of itself: what it computes on, how exactly, and with how much memory."""

import importlib
import importlib.metadata
import os
import re
from pathlib import Path
from typing import Any

_PACKAGES = {
    "numpy": ("numpy", "pytest-benchmark", "jaxvstorch"),
    "jax": ("jax", "jaxlib"),
    "torch": ("torch",),
}


def device(framework: str) -> dict[str, Any]:
    """What computes: its platform (``"cpu"``, ``"gpu"``, ``"tpu"``), its name, its CUDA version."""
    if framework == "jax":
        first = importlib.import_module("jax").devices()[0]
        cuda = _cuda_of(first.client.platform_version) if first.platform == "gpu" else None
        return {"platform": first.platform, "name": first.device_kind, "cuda": cuda}
    if framework == "torch":
        torch = importlib.import_module("torch")
        if torch.cuda.is_available():
            name = torch.cuda.get_device_name(0)
            return {"platform": "gpu", "name": name, "cuda": torch.version.cuda}
    return {"platform": "cpu", "name": "cpu", "cuda": None}


def _cuda_of(platform_version: str) -> str | None:
    """CUDA's version as JAX tells it: ``"13.1"`` where a line of it is ``"cuda 13010"``."""
    match = re.search(r"cuda (\d+)", platform_version)
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else None


def computes_elsewhere(framework: str) -> bool:
    """Whether a framework computes on something else than the processor."""
    return bool(device(framework)["platform"] != "cpu")


def peak_memory(framework: str) -> int | None:
    """The most bytes that arrays took on a device at one time in this process; ``None`` on a CPU.

    JAX counts from the start of its process and cannot be told to begin again, so PyTorch is not
    either: each number is of all that a session timed.
    """
    if not computes_elsewhere(framework):
        return None
    if framework == "torch":
        return int(importlib.import_module("torch").cuda.max_memory_allocated())
    stats = importlib.import_module("jax").devices()[0].memory_stats() or {}
    return stats.get("peak_bytes_in_use")


def set_precision(framework: str) -> None:
    """No TensorFloat-32, in products and in convolutions. JAX is told by the environment."""
    if framework == "torch":
        torch = importlib.import_module("torch")
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.conv.fp32_precision = "ieee"


def precision(framework: str) -> dict[str, Any]:
    """The settings that change how exactly a framework computes, by the names it has for them."""
    if framework == "jax":
        config = importlib.import_module("jax").config
        names = ("jax_default_matmul_precision", "jax_enable_x64")
        return {name: getattr(config, name) for name in names}
    if framework == "torch":
        torch = importlib.import_module("torch")
        return {
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "cuda.matmul.fp32_precision": torch.backends.cuda.matmul.fp32_precision,
            "cudnn.conv.fp32_precision": torch.backends.cudnn.conv.fp32_precision,
        }
    return {}


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
