"""Where the tests of the command ``explain`` run."""

from pathlib import Path

import pytest
from running import JAX, TORCH


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a file for each framework, as the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("model_jax.py").write_text(JAX)
    Path("model_torch.py").write_text(TORCH)
    return tmp_path


@pytest.fixture
def with_jax(folder) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")


@pytest.fixture
def with_torch(folder, fresh_torch_compile) -> None:
    """Dynamo with empty caches; skips where PyTorch is not installed."""
