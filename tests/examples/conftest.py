"""Both frameworks, and a topic's half in each, for the tests of what no page says.

The topic is the folder that a test stands in.
"""

import importlib
from types import ModuleType

import pytest


@pytest.fixture
def jax() -> ModuleType:
    """JAX with empty caches: a second ``jax.jit`` of a function would reuse what the first made."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.clear_caches()
    return jax


@pytest.fixture
def torch(fresh_torch_compile: None) -> ModuleType:
    """PyTorch with empty caches."""
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def in_jax(jax: ModuleType, request: pytest.FixtureRequest) -> ModuleType:
    """The topic's half in JAX."""
    return _half("jax", request)


@pytest.fixture
def in_torch(torch: ModuleType, request: pytest.FixtureRequest) -> ModuleType:
    """The topic's half in PyTorch."""
    return _half("torch", request)


@pytest.fixture
def half(framework: str, request: pytest.FixtureRequest) -> ModuleType:
    """The topic's half in each framework."""
    return _half(framework, request)


def _half(framework: str, request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(f"jaxvstorch.examples.{request.path.parent.name}.{framework}")
