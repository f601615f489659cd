"""What a build is told of pip's settings on this machine."""

from pathlib import Path

import pytest

from tools import pip_settings
from tools.engine import EngineError


@pytest.fixture
def wheelhouse(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "wheelhouse"
    folder.mkdir()
    monkeypatch.setattr(pip_settings, "WHEELHOUSE", folder)
    return folder


def test_pytorch_without_cuda_has_to_come_from_somewhere(wheelhouse) -> None:
    with pytest.raises(EngineError, match="the image cpu takes PyTorch without CUDA: set PIP_EX"):
        pip_settings.conf("cpu", {})
    assert pip_settings.conf("cuda13", {}) == "[global]\n"
    (wheelhouse / "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl").touch()
    assert pip_settings.conf("cpu", {}) == "[global]\n"


def test_a_container_gets_the_settings_that_it_can_use(wheelhouse) -> None:
    settings = {
        "index-url": "https://own.invalid", "extra-index-url": "file:///srv https://more.invalid",
        "find-links": "/srv/wheels", "proxy": "http://proxy.invalid:3128", "timeout": "9",
    }  # fmt: skip
    assert pip_settings.conf("cpu", settings) == (
        "[global]\nindex-url = https://own.invalid\nextra-index-url = https://more.invalid\n"
        "proxy = http://proxy.invalid:3128\n"
    )


@pytest.mark.parametrize(
    ("flavour", "version"), [("cpu", "2.13.0+cpu"), ("cuda13", "2.13.0")], ids=["==", "==="]
)
def test_only_wheels_that_are_pinned_are_brought(wheelhouse, tmp_path, flavour, version) -> None:
    wanted = f"torch-{version}-cp311-cp311-linux_x86_64.whl"
    for name in (wanted, "torch-1.0-py3-none-any.whl", "odd.whl"):
        (tmp_path / name).touch()
    pip_settings.bring_wheels(flavour, {"find-links": f"{tmp_path} https://links.invalid"})
    assert [path.name for path in wheelhouse.iterdir()] == [wanted]


def test_the_environment_wins_over_files(tmp_path, monkeypatch) -> None:
    text = "[global]\ncert = /etc/other.pem\ntrusted-host = a.invalid\n  b.invalid\n"
    (tmp_path / "pip.conf").write_text(text)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.delenv("PIP_TRUSTED_HOST", raising=False)
    monkeypatch.setenv("PIP_CERT", "/etc/own.pem")
    found = pip_settings.read()
    assert found["cert"] == "/etc/own.pem"
    assert found["trusted-host"].split() == ["a.invalid", "b.invalid"]
