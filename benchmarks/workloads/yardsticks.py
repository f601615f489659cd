"""What this machine can do at most: the smallest possible call, and products in each dtype.

The third yardstick, a plain copy, stands in ``writing`` beside what it limits.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import Case, Work, calling, compiled
from jaxvstorch import _frameworks

TOPIC = "yardsticks"
# A matrix's side, by the dtype of its elements. Some processors have no instructions for 16 bits:
# PyTorch then takes a hundred times as long. Some GPUs have few for 64.
SIDES = {"float32": 1_024, "float64": 1_024, "bfloat16": 256, "float16": 256}
SIDES_ON_GPU = {"float32": 8_192, "float64": 4_096, "bfloat16": 8_192, "float16": 8_192}


def add_one(x: Any) -> Any:
    """Hardly any work, so that its time is that of asking for it."""
    return x + 1


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """The smallest call in each mode, and one product per dtype.

    A quick session has no product of its own: ``tracing.matmul`` is one, in float32.
    """
    modes = ("eager",) if framework == "numpy" else ("eager", "compiled")
    calls = [Case(TOPIC, "dispatch", 1, framework, m, partial(_call, framework, m)) for m in modes]
    dtypes = () if quick else tuple(SIDES)
    if framework == "numpy":  # its products of 16 bits are loops without BLAS
        dtypes = tuple(dtype for dtype in dtypes if dtype in ("float32", "float64"))
    sides = SIDES_ON_GPU if gpu_memory and framework != "numpy" else SIDES
    return calls + [
        Case(TOPIC, f"matmul {dtype}", sides[dtype], framework, "eager",
             partial(_product, framework, dtype, sides[dtype]))
        for dtype in dtypes
    ]  # fmt: skip


def _call(framework: str, mode: str) -> Work:
    x: Any = np.ones(1, np.float32)
    if framework == "numpy":
        return calling(add_one, [(x,)] * 4)
    function = compiled(framework, add_one) if mode == "compiled" else add_one
    adapter = _frameworks.adapter(framework)
    return calling(function, [(adapter.to_device(adapter.from_numpy(x)),)] * 4)


def _product(framework: str, dtype: str, side: int) -> Work:
    generator = np.random.default_rng(0)
    arrays = [generator.standard_normal((side, side), dtype=np.float32) for _ in range(2)]
    double = nullcontext
    if framework != "numpy" and dtype == "float64":
        double = _frameworks.adapter(framework).double_precision
    with double():
        operands = tuple(_cast(framework, x, dtype) for x in arrays)
    return calling(partial(_multiply, double), [operands], operations=2 * side**3)


def _multiply(context: Callable[[], AbstractContextManager[None]], x: Any, y: Any) -> Any:
    with context():
        return x @ y


def _cast(framework: str, array: np.ndarray[Any, Any], dtype: str) -> Any:
    if framework == "torch":
        import torch

        tensor = torch.from_numpy(array).to(getattr(torch, dtype))
        return _frameworks.adapter(framework).to_device(tensor)
    if framework == "jax":
        import jax.numpy as jnp

        return jnp.asarray(array, dtype=dtype)
    return array.astype(dtype)
