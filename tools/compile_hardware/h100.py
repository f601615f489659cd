"""The answers of an NVIDIA H100 to what Inductor and Triton ask about a GPU."""

from types import SimpleNamespace
from typing import Any

CAPABILITY = (9, 0)
# Of the H100 SXM5 with 80 GB, as CUDA gives them.
PROPERTIES = SimpleNamespace(
    name="NVIDIA H100 80GB HBM3",
    type="cuda",
    index=0,
    major=9,
    minor=0,
    multi_processor_count=132,
    warp_size=32,
    max_threads_per_block=1024,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536,
    shared_memory_per_block=49152,
    shared_memory_per_block_optin=232448,
    L2_cache_size=52428800,
    total_memory=84929347584,
    gcnArchName="",
)


class Driver:
    """Triton's driver, as far as writing kernels needs one."""

    def get_current_target(self) -> Any:
        """The GPU to compile for."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, PROPERTIES.warp_size)


def interface(cuda: Any) -> Any:
    """PyTorch's interface of CUDA devices, with one H100."""

    class Worker(cuda.Worker):  # type: ignore[misc]
        current_device = staticmethod(lambda: 0)
        get_device_properties = staticmethod(lambda _=None: PROPERTIES)

    class Interface(cuda):  # type: ignore[misc]
        is_available = staticmethod(lambda: True)
        device_count = staticmethod(lambda: 1)
        current_device = staticmethod(lambda: 0)
        synchronize = staticmethod(lambda _=None: None)
        get_device_properties = staticmethod(lambda _=None: PROPERTIES)
        get_compute_capability = staticmethod(lambda _=None: 90)
        is_triton_capable = staticmethod(lambda _=None: True)
        raise_if_triton_unavailable = staticmethod(lambda _=None: None)

    Interface.Worker = Worker
    return Interface
