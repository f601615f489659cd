"""What each format says of a file that was cut or changed, and that ours refuses all of them."""

import io
import zipfile

import numpy as np
import pytest

from jaxvstorch.examples.checkpoints import files

X = np.arange(1000, dtype=np.float32)
EIGHTHS = range(8)
SAYS = {
    "npz": (EOFError, zipfile.BadZipFile),
    "pt": (EOFError, RuntimeError, OSError),
}


def of_numpy():
    def read(path):
        # NumPy would leave a file open that it cannot read.
        with open(path, "rb") as file, np.load(file) as found:
            return dict(found)

    return (lambda file, x: np.savez(file, w=x)), read


def of_torch():
    torch = pytest.importorskip("torch")
    return (lambda file, x: torch.save({"w": torch.from_numpy(x)}, file)), torch.load


def of_safetensors():
    numpy = pytest.importorskip("safetensors.numpy")
    return (lambda file, x: file.write(numpy.save({"w": x}))), numpy.load_file


FORMATS = {"npz": of_numpy, "pt": of_torch, "safetensors": of_safetensors}


@pytest.fixture(params=FORMATS)
def name(request) -> str:
    return request.param


@pytest.fixture
def written(name):
    write, read = FORMATS[name]()
    buffer = io.BytesIO()
    write(buffer, X)
    return buffer.getvalue(), read


def errors(name):
    if name in SAYS:
        return SAYS[name]
    from safetensors import SafetensorError

    return (SafetensorError,)


@pytest.mark.parametrize("eighth", [*EIGHTHS, "all but one byte"])
def test_every_format_raises_where_the_end_is_missing(name, written, tmp_path, eighth) -> None:
    words, read = written
    path = tmp_path / "step_1"
    path.write_bytes(words[: len(words) * eighth // 8] if eighth in EIGHTHS else words[:-1])
    with pytest.raises(errors(name)):
        read(path)


@pytest.mark.parametrize("eighth", [*EIGHTHS, "all but one byte"])
def test_and_ours_takes_the_one_before_it(name, written, tmp_path, eighth) -> None:
    words, read = written
    first, last = (tmp_path / f"step_{number}.x" for number in (1, 2))
    for path in (first, last):
        files.write_whole(path, lambda file: file.write(words))
    last.write_bytes(words[: len(words) * eighth // 8] if eighth in EIGHTHS else words[:-1])
    found = files.latest_complete(tmp_path, "step_*.x")
    assert found == first
    np.testing.assert_array_equal(read(found)["w"], X)


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
