"""What the installed frameworks themselves say of their older parts."""

import importlib
import sys
import warnings

import numpy as np
import pytest


@pytest.mark.parametrize("name", ["stax", "optimizers"])
def test_jax_calls_its_own_networks_and_optimizers_examples(jax, name: str) -> None:
    module = importlib.import_module(f"jax.example_libraries.{name}")
    assert "You likely do not mean to import this module!" in module.__doc__


def test_jax_no_longer_develops_its_sparse_matrices(jax) -> None:
    said = importlib.import_module("jax.experimental.sparse").__doc__
    assert "no longer being actively developed" in " ".join(said.split())


@pytest.mark.parametrize("name", ["stax", "optimizers", "host_callback", "maps"])
def test_jax_experimental_has_lost_modules(jax, name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"jax.experimental.{name}")


def test_the_old_parallel_map_names_the_new_one(jax) -> None:
    assert "Old way of doing parallel map. Use :py:func:`jax.shard_map`" in jax.pmap.__doc__


def test_traced_torchscript_is_deprecated_too(torch) -> None:
    with pytest.warns(DeprecationWarning, match=r"switch to `torch\.compile` or `torch\.export`"):
        torch.jit.trace(torch.nn.Linear(1, 1), torch.ones(1, 1))


def test_torchscript_is_deprecated(torch) -> None:
    with pytest.warns(DeprecationWarning, match=r"switch to `torch\.compile` or `torch\.export`"):
        torch.jit.script(torch.nn.Linear(1, 1))


def test_functorch_is_part_of_torch(torch) -> None:
    with pytest.warns(FutureWarning, match="We've integrated functorch into PyTorch"):
        importlib.import_module("functorch").vmap(torch.sin)


def test_quantisation_has_moved_to_torchao(torch) -> None:
    from torch.ao import quantization

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(1, 1)))
    assert "torch.ao.quantization is deprecated" in str(said[0].message)
    assert "please migrate to use torchao" in str(said[0].message)
    assert "will be removed in 2.10" in str(said[0].message)  # and is still there


def test_the_old_pipelines_are_gone_and_new_ones_there(torch) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("torch.distributed.pipeline")
    importlib.import_module("torch.distributed.pipelining")


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
