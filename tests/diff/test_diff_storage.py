"""Whether arrays beyond a limit lie in temporary files, of which nothing is left."""

import errno
import gc
import os
import tempfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from jaxvstorch import Diff, diff

for library in ("jax", "torch"):
    pytest.importorskip(library)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The module, with no room in memory, and with files that lie in an empty folder."""
    from jaxvstorch._diff import storage

    monkeypatch.setattr(storage, "LIMIT", 0)
    monkeypatch.setattr(storage, "_SMALL", 1)
    monkeypatch.setattr(storage, "_BLOCK", 1 << 20)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return storage


def compared(*, torch_first: bool) -> Diff:
    """Two layers with a GELU, which the port approximates by tanh, and their gradients."""
    import jax
    import torch

    rng = np.random.default_rng(0)
    shapes = {"up": (20, 30), "shift": (30,), "down": (30, 10)}
    weights = {k: rng.normal(size=shape).astype(np.float32) for k, shape in shapes.items()}

    def original(w, x):
        h = torch.nn.functional.gelu(x @ w["up"] + w["shift"])
        return torch.softmax(h @ w["down"], -1)

    def port(w, x):
        h = jax.nn.gelu(x @ w["up"] + w["shift"])
        return jax.nn.softmax(h @ w["down"])

    sides = (
        (original, {k: torch.tensor(x) for k, x in weights.items()}),
        (port, {k: jax.numpy.asarray(x) for k, x in weights.items()}),
    )
    x = rng.normal(size=(40, 20)).astype(np.float32)
    return diff(*sides[:: 1 if torch_first else -1], (x,), gradient=True)


def mapped(folder: Path) -> bool:
    """Whether this process still holds a file that lies, or lay, in a folder."""
    gc.collect()
    maps = Path("/proc/self/maps")
    return maps.exists() and str(folder) in maps.read_text()


@pytest.mark.parametrize("torch_first", [True, False])
def test_without_room_in_memory_the_report_is_the_same(
    torch_first: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    expected = compared(torch_first=torch_first)
    request.getfixturevalue("storage")
    report = compared(torch_first=torch_first)
    assert report.differences
    assert report == expected
    assert os.listdir(tmp_path) == []
    assert not mapped(tmp_path)


def test_numbers_that_an_operation_overwrites_are_kept_in_a_file_too(storage: ModuleType) -> None:
    import jax.numpy as jnp
    import torch

    def original(x):
        y = x * 3
        view = y[1:]
        y.mul_(torch.sigmoid(y))
        return view.add_(1)

    def port(x):
        y = x * 3
        return (y * (1 / (1 + jnp.exp(-y))))[1:] + 1

    x = np.linspace(-2, 2, 300, dtype=np.float32)
    assert diff(original, port, (x,)).same
    assert diff(port, original, (x,)).same


def test_no_file_is_left_after_an_error(storage: ModuleType, tmp_path: Path) -> None:
    import torch

    files = 0
    made = storage._file_of

    def counted(size):
        nonlocal files
        files += 1
        return made(size)

    storage._file_of = counted

    def fails(x):
        raise ValueError(f"{torch.sin(x).shape} is refused")

    try:
        with pytest.raises(ValueError, match="is refused"):
            diff(fails, lambda x: torch.cos(x), (np.ones((64, 64), np.float32),))
    finally:
        storage._file_of = made
    assert files > 0
    assert os.listdir(tmp_path) == []
    assert not mapped(tmp_path)


def test_a_full_disk_is_one_error_with_its_cure(
    storage: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(OSError, match=r"has no room .* set TMPDIR to a directory") as raised:
        diff(torch.nn.functional.gelu, torch.sin, (np.ones((64, 64), np.float32),))
    assert raised.value.errno == errno.ENOSPC
    assert os.listdir(tmp_path) == []


def test_files_are_made_where_the_system_cannot_allocate(
    storage: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    report = diff(
        lambda x: torch.sin(x) * 2, lambda x: torch.sin(x) * 3, (np.linspace(0, 1, 5000),)
    )
    assert report.differences[0].cause
