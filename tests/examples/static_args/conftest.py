"""Both frameworks, for the tests of what the page on static_args says."""

import importlib

import pytest


@pytest.fixture
def jax():
    """JAX without memory: a second ``jax.jit`` of a function would reuse what the first made."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    importlib.import_module("jaxvstorch.examples.static_args.jax")
    jax.clear_caches()
    return jax


@pytest.fixture
def torch(fresh_torch_compile):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    importlib.import_module("jaxvstorch.examples.static_args.torch")
    return torch
