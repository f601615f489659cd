"""What a framework computes on, how exactly, and the GPUs of the machine."""

import importlib
import re
import shutil
import subprocess
from typing import Any

_QUERY = ("--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")


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
    found = re.search(r"cuda (\d+)", platform_version)
    return f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}" if found else None


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


def gpus() -> dict[str, Any]:
    """The machine's NVIDIA GPUs with their memory, and their driver, as ``nvidia-smi`` says.

    A GPU that shares the processor's memory has none to report: it is ``None`` then.
    """
    command = shutil.which("nvidia-smi")
    found = command and subprocess.run([command, *_QUERY], capture_output=True, text=True)
    if not found or found.returncode:
        return {"driver": None, "gpus": []}
    lines = [[part.strip() for part in line.split(",")] for line in found.stdout.splitlines()]
    listed = [
        {"name": name, "memory_bytes": int(mib) * 2**20 if mib.isdecimal() else None}
        for name, mib, _ in lines
    ]
    return {"driver": lines[0][2] if lines else None, "gpus": listed}
