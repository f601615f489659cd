"""What the frameworks need other packages for, and what JAX does not have on a CPU."""

import sys

import numpy as np
import pytest


def test_exported_jax_is_written_by_a_package_that_jax_does_not_bring(jax, monkeypatch) -> None:
    exported = jax.export.export(jax.jit(jax.numpy.sin))(1.0)
    monkeypatch.setitem(sys.modules, "flatbuffers", None)
    for name in ("serialization", "serialization_generated"):
        monkeypatch.delitem(sys.modules, f"jax._src.export.{name}", raising=False)
    with pytest.raises(ImportError, match="Please install 'flatbuffers'"):
        exported.serialize()


def test_onnx_is_written_by_a_package_that_torch_does_not_bring(torch, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(ImportError, match="onnxscript"):
        torch.onnx.export(torch.nn.Linear(1, 1), (torch.ones(1, 1),), dynamo=True)


def test_jax_has_a_product_of_quantised_blocks_and_not_on_a_cpu(jax) -> None:
    if jax.default_backend() != "cpu":
        pytest.skip("an accelerator may have it")
    x, axes = np.ones((1, 2, 32), np.float32), (((2,), (2,)), ((0,), (0,)))
    blocks = [jax.nn.get_scaled_dot_general_config("mxfp8")] * 3
    if jax.__version_info__ >= (0, 12):
        assert jax.nn.scaled_dot_general(x, x, axes, configs=blocks).shape == (1, 2, 2)
        return
    with pytest.raises(NotImplementedError, match=r"scaled_matmul.*not found for platform cpu"):
        jax.nn.scaled_dot_general(x, x, axes, configs=blocks)
