"""What the installed frameworks themselves say of their older parts."""

import importlib
import warnings

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


def test_the_old_pipelines_are_gone_and_new_ones_there(torch) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("torch.distributed.pipeline")
    importlib.import_module("torch.distributed.pipelining")
