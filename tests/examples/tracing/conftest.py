"""Both frameworks, for the tests of what the page on tracing says."""

from types import SimpleNamespace

import pytest
from tracing_programs import X


@pytest.fixture
def in_jax() -> SimpleNamespace:
    """JAX without memory: a second ``jax.jit`` of a function would reuse what the first made."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.clear_caches()
    from jaxvstorch.examples.tracing import jax as examples

    def stages(function, *args, **options):
        """A function's jaxpr, its StableHLO, and the HLO that XLA made of it."""
        lowered = jax.jit(function, **options).lower(*args)
        jaxpr = jax.make_jaxpr(function, static_argnums=options.get("static_argnums", ()))(*args)
        return jaxpr.jaxpr, lowered.as_text(), lowered.compile().as_text()

    return SimpleNamespace(jax=jax, jnp=jax.numpy, jit=jax.jit, stages=stages, examples=examples)


@pytest.fixture
def in_torch(fresh_torch_compile: None) -> SimpleNamespace:
    """PyTorch without memory. ``graph`` compiles without Inductor; ``graphs`` lists graphs."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from jaxvstorch.examples.tracing import torch as examples

    def graph(function, **options):
        return torch.compile(function, backend="eager", **options)

    def graphs(function, *args, **options):
        found = []

        def keep(module, inputs):
            found.append(module)
            return module.forward

        torch.compile(function, backend=keep, **options)(*args)
        return found

    def code(function, *args):
        """What Inductor wrote: Python that calls C++ kernels, and the kernels."""
        from torch._inductor.utils import run_and_get_code

        return run_and_get_code(torch.compile(function, fullgraph=True), *args)[1][0]

    return SimpleNamespace(
        torch=torch, graph=graph, graphs=graphs, code=code, examples=examples,
        x=torch.from_numpy(X.copy()), Unsupported=torch._dynamo.exc.Unsupported,
    )  # fmt: skip
