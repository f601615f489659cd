"""Time a function.

A call of JAX, and one of PyTorch on a GPU, returns before its result is there: wait for it. The
first call compiles.
"""

PAGE = "timing"
NAMES = (
    "torch.cuda.synchronize",
    "torch.cuda.Event",
    "torch.utils.benchmark.Timer",
    "torch.futures.Future",
    "torch.futures.wait_all",
    "jax.block_until_ready",
)


def with_torch():
    import time

    import torch

    x = torch.ones(100, 100)
    x @ x  # the first call
    started = time.perf_counter()
    y = x @ x
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - started > 0, y[0, 0]


def with_jax():
    import time

    import jax
    import jax.numpy as jnp

    square = jax.jit(lambda x: x @ x)
    x = jnp.ones((100, 100))
    square(x).block_until_ready()  # compiles
    started = time.perf_counter()
    y = jax.block_until_ready(square(x))
    return time.perf_counter() - started > 0, y[0, 0]
