"""Compile a function (torch.compile, torch.jit.script).

``jax.jit`` traces: a print runs once for each set of shapes and dtypes, and an ``if`` on a value
fails, where ``torch.compile`` breaks the graph. Scripting reads the source; JAX has nothing of that
kind.
"""

PAGE = "tracing"
NAMES = (
    "torch.compile",
    "torch.jit.script",
    "torch.jit.trace",
    "torch.jit.ScriptModule",
    "torch.jit.ScriptFunction",
    "torch.jit.script_method",
    "torch._dynamo.OptimizedModule",
    "torch.compiler.is_compiling",
    "torch.jit.is_tracing",
    "torch.jit.is_scripting",
    "jax.jit",
    "nnx.jit",
)


def with_torch():
    import torch

    @torch.compile(backend="eager")  # without it, Inductor writes kernels
    def scale(x):
        return x / x.sum(), torch.compiler.is_compiling()

    return scale(torch.tensor([1.0, 3.0])), scale(torch.ones(5))


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def scale(x):
        return x / x.sum(), isinstance(x, jax.core.Tracer)

    return scale(jnp.array([1.0, 3.0])), scale(jnp.ones(5))
