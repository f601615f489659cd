"""Both frameworks, for the tests of what the page on branching says."""

from types import SimpleNamespace

import pytest


@pytest.fixture
def in_jax() -> SimpleNamespace:
    """JAX, and this topic's half in it."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch.examples.branching import jax as examples

    return SimpleNamespace(
        jax=jax, lax=jax.lax, jnp=jax.numpy, examples=examples, x=jax.numpy.arange(4.0)
    )


@pytest.fixture
def in_torch(fresh_torch_compile: None) -> SimpleNamespace:
    """PyTorch, and this topic's half in it."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from jaxvstorch.examples.branching import torch as examples

    def graph(function, **options):
        return torch.compile(function, backend="eager", **options)

    yes, no = torch.tensor(True), torch.tensor(False)
    return SimpleNamespace(
        torch=torch, examples=examples, graph=graph, x=torch.arange(4.0), yes=yes, no=no
    )
