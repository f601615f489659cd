"""What a file keeps of a tree of arrays, and what it does not."""

import io

import numpy as np
import pytest


def test_npz_keeps_the_bytes_of_bfloat16_but_not_the_dtype(jax, tmp_path) -> None:
    x = np.asarray(jax.numpy.ones(3, jax.numpy.bfloat16))
    np.savez(tmp_path / "x.npz", w=x)
    with np.load(tmp_path / "x.npz") as found:
        back = found["w"]
    assert back.dtype == np.dtype("V2")
    np.testing.assert_array_equal(back.view(x.dtype), x)


def test_npz_takes_no_key_and_no_tree(jax, tmp_path) -> None:
    with pytest.raises(TypeError, match="key_data"):
        np.savez(tmp_path / "x.npz", key=jax.random.key(0))
    np.savez(tmp_path / "x.npz", layer={"w": np.ones(2)})  # a pickle of the dict
    with (
        np.load(tmp_path / "x.npz") as found,
        pytest.raises(ValueError, match="allow_pickle=False"),
    ):
        found["layer"]


def test_a_bfloat16_tensor_has_no_numpy_array(torch) -> None:
    with pytest.raises(TypeError, match="unsupported ScalarType BFloat16"):
        torch.ones(2, dtype=torch.bfloat16).numpy()


def test_safetensors_is_one_format_for_both(jax, torch) -> None:
    flax = pytest.importorskip("safetensors.flax")
    of_torch = pytest.importorskip("safetensors.torch")
    words = flax.save({"w": jax.numpy.ones(3, jax.numpy.bfloat16)})
    assert words == of_torch.save({"w": torch.ones(3, dtype=torch.bfloat16)})
    assert of_torch.load(words)["w"].dtype == torch.bfloat16


def test_safetensors_refuses_a_tree_a_key_and_shared_memory(jax, torch) -> None:
    flax = pytest.importorskip("safetensors.flax")
    of_torch = pytest.importorskip("safetensors.torch")
    from safetensors import SafetensorError

    with pytest.raises(SafetensorError, match='Unknown dtype "object"'):
        flax.save({"layer": {"w": jax.numpy.ones(2)}})
    with pytest.raises(TypeError, match="key_data"):
        flax.save({"key": jax.random.key(0)})
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="share memory"):
        of_torch.save({"a": x, "b": x})


def test_torch_keeps_structure_dtype_and_shared_memory(torch) -> None:
    x = torch.ones(3, dtype=torch.bfloat16)
    buffer = io.BytesIO()
    torch.save({"a": [x, (x, 3)], "b": {"name": "text", "none": None}}, buffer)
    found = torch.load(io.BytesIO(buffer.getvalue()))
    first, (second, number) = found["a"]
    assert (number, first.dtype, found["b"]) == (3, x.dtype, {"name": "text", "none": None})
    first += 1
    assert second.tolist() == [2, 2, 2]


def test_torch_writes_the_whole_storage_of_a_view(torch) -> None:
    def size(tensor):
        buffer = io.BytesIO()
        torch.save(tensor, buffer)
        return len(buffer.getvalue())

    x = torch.ones(100_000)
    assert size(x[:2]) > 400_000
    assert size(x[:2].clone()) < 2_000


def test_a_tree_comes_back_from_safetensors(jax, tmp_path) -> None:
    pytest.importorskip("safetensors")
    from jaxvstorch.examples.checkpoints import jax_safetensors as safetensors
    from jaxvstorch.examples.checkpoints.files import IncompleteCheckpointError
    from jaxvstorch.examples.checkpoints.names import MismatchError

    params = {"layer": {"w": jax.numpy.ones((2, 3), jax.numpy.bfloat16)}, "b": jax.numpy.ones(1)}
    path = safetensors.save_params(tmp_path / "step_1.safetensors", params)
    found = safetensors.load_params(path, params)
    assert jax.tree.structure(found) == jax.tree.structure(params)
    assert found["layer"]["w"].dtype == jax.numpy.bfloat16
    with pytest.raises(MismatchError, match="unexpected: b"):
        safetensors.load_params(path, {"layer": params["layer"]})
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IncompleteCheckpointError):
        safetensors.load_params(path, params)
