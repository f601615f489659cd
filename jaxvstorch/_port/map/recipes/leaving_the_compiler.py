"""Call Python code inside a compiled function.

``torch.compiler.disable`` breaks the graph. In JAX call the function outside ``jax.jit``, or
through ``jax.pure_callback``, which must be told the shape and dtype of the result, and has no
gradient of its own.
"""

PAGE = "methods-ways-out"
NAMES = (
    "torch.compiler.disable",
    "torch._dynamo.disable",
    "torch.compiler.allow_in_graph",
    "torch.jit.ignore",
    "torch.jit.unused",
    "jax.pure_callback",
)


def with_torch():
    import torch

    @torch.compiler.disable
    def on_the_host(x):
        return torch.from_numpy(x.numpy() ** 3)

    @torch.compile(backend="eager")
    def f(x):
        return on_the_host(x) + 1

    return f(torch.tensor([1.0, 2.0]))


def with_jax():
    import jax
    import jax.numpy as jnp
    import numpy as np

    def on_the_host(x):
        return np.asarray(x) ** 3

    @jax.jit
    def f(x):
        return jax.pure_callback(on_the_host, jax.typeof(x), x) + 1

    return f(jnp.array([1.0, 2.0]))
