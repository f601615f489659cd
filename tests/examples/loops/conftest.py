"""Both frameworks, for the tests of what the page on loops says."""

from types import SimpleNamespace

import pytest


@pytest.fixture
def in_jax() -> SimpleNamespace:
    """JAX, and this topic's half in it."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch.examples.loops import jax as examples

    x = jax.numpy.linspace(0.25, 1.5, 3)
    return SimpleNamespace(jax=jax, lax=jax.lax, jnp=jax.numpy, examples=examples, x=x)


@pytest.fixture
def in_torch(fresh_torch_compile: None) -> SimpleNamespace:
    """PyTorch, and this topic's half in it."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    import torch._higher_order_ops as prototypes

    from jaxvstorch.examples.loops import torch as examples

    def graph(function):
        return torch.compile(function, backend="eager", fullgraph=True)

    x = torch.linspace(0.25, 1.5, 3)
    return SimpleNamespace(
        torch=torch, prototypes=prototypes, examples=examples, graph=graph, x=x,
        wrong=torch._dynamo.exc.UncapturedHigherOrderOpError,
    )  # fmt: skip
