"""What each format says of a file that was cut or changed, and that ours refuses all of them."""

import io
import zipfile

import numpy as np
import pytest
from formats import FORMATS

from jaxvstorch.examples.checkpoints import files

X = np.arange(1000, dtype=np.float32)
EIGHTHS = range(8)
SAYS = {
    "npz": (EOFError, zipfile.BadZipFile),
    "pt": (EOFError, RuntimeError, OSError),
}


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


def test_only_npz_sees_a_number_that_was_changed(name, written, tmp_path) -> None:
    words, read = written
    place = words.index(X[500:510].tobytes())
    changed = bytearray(words)
    changed[place + 2] ^= 0x40
    path = tmp_path / "step_1.x"
    files.write_whole(path, lambda file: file.write(words))
    path.write_bytes(changed)
    if name == "npz":
        with pytest.raises(zipfile.BadZipFile, match="Bad CRC-32"):
            read(path)
    else:
        assert (np.asarray(read(path)["w"]) != X).sum() == 1
    if name == "pt":  # its zip file has a checksum, which torch.load does not compare
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() == "archive/data/0"
    with pytest.raises(files.IncompleteCheckpointError, match="not those that were written"):
        files.require_whole(path)
