"""Memory in use.

``device.memory_stats()`` is a dictionary on a GPU or TPU, and ``None`` on a CPU. What a program
will need is known when it is compiled. JAX takes three quarters of a GPU's memory at the start,
unless ``XLA_PYTHON_CLIENT_PREALLOCATE=false`` is in the environment.
"""

PAGE = "memory"
NAMES = (
    "torch.cuda.memory_allocated",
    "torch.cuda.max_memory_allocated",
    "torch.cuda.memory_reserved",
    "torch.cuda.max_memory_reserved",
    "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.memory_stats",
    "torch.cuda.mem_get_info",
    "torch.cuda.memory_summary",
    "torch.cuda.get_device_properties",
    "torch.cuda.empty_cache",
    "jax.live_arrays",
)


def with_torch():
    import torch

    x = torch.ones(1000, 10)
    result = x @ torch.ones(10, 20)
    peak = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None
    return x.nbytes, result.nbytes, peak is None or peak >= result.nbytes


def with_jax():
    import jax
    import jax.numpy as jnp

    x = jnp.ones((1000, 10))
    product = jax.jit(lambda x: x @ jnp.ones((10, 20)))
    needed = product.lower(x).compile().memory_analysis()
    stats = x.device.memory_stats()
    peak = stats["peak_bytes_in_use"] if stats else None
    sizes = needed.argument_size_in_bytes, needed.output_size_in_bytes
    return *sizes, peak is None or peak >= x.nbytes
