"""What the tests of the images share: the tools, and commands that stand for real ones."""

from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of tests that need an engine and an image."""
    config.addinivalue_line("markers", "built_image: needs the image that `nox -s docker` builds")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Write a command, as a shell script, that is found before and instead of all others."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    monkeypatch.delenv("CONTAINER_ENGINE", raising=False)
    (tmp_path / "bin").mkdir()

    def write(name: str, script: str) -> None:
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    return write
