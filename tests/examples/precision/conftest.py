"""What the CPU's model decides, and where a test may ask for it."""

from pathlib import Path

import pytest

CPUINFO = Path("/proc/cpuinfo")
UNITS = ("avx512_bf16", "avx512_fp16", "amx_bf16", "amx_fp16")


@pytest.fixture
def plain_cpu(jax) -> None:
    """Skips where the device is no CPU, or a CPU that may multiply 16-bit numbers itself."""
    if jax.default_backend() != "cpu":
        pytest.skip("seen on a CPU")
    flags = CPUINFO.read_text().split() if CPUINFO.exists() else []
    if "avx2" not in flags or any(unit in flags for unit in UNITS):
        pytest.skip("seen on CPUs with AVX2 and without units for 16-bit products")
