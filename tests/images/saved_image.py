"""The files of an image as an engine saves it, in the layout of Docker or of OCI."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path


def files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of every layer, and the image's own description."""
    with tarfile.open(path) as image:
        (manifest,) = json.load(image.extractfile("manifest.json"))
        layers = manifest["Layers"]
        assert layers, f"{path} has no layers"
        for name in layers:
            # Docker since 25 may keep a layer compressed, and calls it by its digest alone.
            with tarfile.open(fileobj=image.extractfile(name), mode="r:*") as layer:
                yield from _contents(layer)
        for name, data in _contents(image):
            if name not in layers:
                yield name, data


def _contents(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    """Each member by its name; all that is no regular file is empty."""
    for member in archive:
        data = archive.extractfile(member).read() if member.isfile() else b""
        yield member.name.removeprefix("./"), data
