"""Files are found in each layer of a saved image, whichever engine saved it."""

import io
import json
import tarfile
from pathlib import Path

import pytest
from saved_image import files


def archive(contents: dict[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as found:
        for name, data in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            found.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def save(path: Path, layers: dict[str, bytes]) -> Path:
    manifest = json.dumps([{"Config": "config.json", "Layers": list(layers)}]).encode()
    path.write_bytes(archive({**layers, "config.json": b"{}", "manifest.json": manifest}))
    return path


@pytest.mark.parametrize(
    ("names", "mode"),
    [
        (["1a/layer.tar", "2b/layer.tar"], "w"),
        (["blobs/sha256/1a", "blobs/sha256/2b"], "w"),
        (["blobs/sha256/1a", "blobs/sha256/2b"], "w:gz"),
    ],
    ids=["docker", "oci", "oci-compressed"],
)
def test_every_file_of_every_layer_is_found(tmp_path, names, mode) -> None:
    contents = [{"./etc/pip.conf": b"a secret"}, {"run/secrets": b"", "opt/file": b"more"}]
    layers = [archive(each, mode) for each in contents]
    path = save(tmp_path / "image.tar", dict(zip(names, layers, strict=True)))
    found = dict(files(path))
    assert found.pop("manifest.json")
    assert found == {
        "etc/pip.conf": b"a secret", "run/secrets": b"", "opt/file": b"more", "config.json": b"{}",
    }  # fmt: skip


def test_an_image_without_layers_is_no_proof(tmp_path) -> None:
    with pytest.raises(AssertionError, match="has no layers"):
        list(files(save(tmp_path / "image.tar", {})))
