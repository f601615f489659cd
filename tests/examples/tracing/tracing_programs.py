"""What a function is called with, and what each stage makes of it."""

import numpy as np


def numbers(n: int, dtype=np.float32):
    return np.arange(1, n + 1).astype(dtype)


X = numbers(3)


def stages(jax, function, *args, **options):
    """A function's jaxpr, its StableHLO, and the HLO that XLA made of it."""
    lowered = jax.jit(function, **options).lower(*args)
    jaxpr = jax.make_jaxpr(function, static_argnums=options.get("static_argnums", ()))(*args)
    return jaxpr.jaxpr, lowered.as_text(), lowered.compile().as_text()


def code(torch, function, *args) -> str:
    """What Inductor wrote: Python that calls C++ kernels, and the kernels."""
    from torch._inductor.utils import run_and_get_code

    return run_and_get_code(torch.compile(function, fullgraph=True), *args)[1][0]
