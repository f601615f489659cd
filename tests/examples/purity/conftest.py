"""Both frameworks, for the tests of what the page on purity says."""

import pytest


@pytest.fixture
def jax():
    """JAX, which has forgotten what earlier tests compiled."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.clear_caches()
    return jax


@pytest.fixture
def in_jax(jax):
    from jaxvstorch.examples.purity import jax as half

    return half


@pytest.fixture
def torch(fresh_torch_compile):
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def in_torch(torch):
    from jaxvstorch.examples.purity import torch as half

    return half
