"""What a build is told of pip's settings on this machine."""

import sys
from pathlib import Path

import pip_settings
import pytest
from engine import EngineError


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
    settings = {"index-url": "https://own.invalid", "extra-index-url": "https://cpu.invalid"}
    assert pip_settings.conf("cpu", settings) == (
        "[global]\nindex-url = https://own.invalid\nextra-index-url = https://cpu.invalid\n"
    )


def test_a_wheel_in_the_wheelhouse_is_enough(wheelhouse) -> None:
    (wheelhouse / "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl").touch()
    assert pip_settings.conf("cpu", {}) == "[global]\n"


def test_folders_of_this_machine_are_no_indexes_of_a_container(wheelhouse) -> None:
    settings = {"extra-index-url": "file:///srv/simple https://more.invalid"}
    text = pip_settings.conf("cuda12", settings)
    assert text == "[global]\nextra-index-url = https://more.invalid\n"


def test_only_wheels_that_are_pinned_are_brought(wheelhouse, tmp_path) -> None:
    pins = (
        (pip_settings.ROOT / "docker/requirements/cpu.txt").read_text(encoding="utf-8").splitlines()
    )
    (torch,) = [line.replace("==", "-") for line in pins if line.startswith("torch==")]
    for name in (f"{torch}-cp311-cp311-linux_x86_64.whl", "torch-1.0-py3-none-any.whl"):
        (tmp_path / name).touch()
    pip_settings.bring_wheels("cpu", {"find-links": f"{tmp_path} https://links.invalid"})
    assert [path.name for path in wheelhouse.iterdir()] == [f"{torch}-cp311-cp311-linux_x86_64.whl"]


def test_pip_itself_tells_its_settings(monkeypatch) -> None:
    monkeypatch.setenv("PIP_CERT", "/etc/own.pem")
    assert pip_settings.read()["cert"] == "/etc/own.pem"


def test_a_wheel_that_is_pinned_exactly_is_brought_and_an_odd_name_passed_over(
    wheelhouse, tmp_path
) -> None:
    for name in ("odd.whl", "torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl"):
        (tmp_path / name).touch()
    for _ in range(2):
        pip_settings.bring_wheels("cuda13", {"find-links": f"{tmp_path} {wheelhouse}"})
    assert [path.name[:13] for path in wheelhouse.iterdir()] == ["torch-2.13.0-"]


def test_how_places_are_reached_is_passed_on(wheelhouse) -> None:
    settings = {
        "find-links": "/srv/wheels https://links.invalid", "trusted-host": "a.invalid b.invalid",
        "proxy": "http://proxy.invalid:3128", "timeout": "9",
    }  # fmt: skip
    assert pip_settings.conf("cpu", settings) == (
        "[global]\nfind-links = https://links.invalid\ntrusted-host = a.invalid b.invalid\n"
        "proxy = http://proxy.invalid:3128\n"
    )


def test_settings_on_lines_of_their_own(tmp_path, monkeypatch) -> None:
    (tmp_path / "pip.conf").write_text("[global]\ntrusted-host = a.invalid\n  b.invalid\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.delenv("PIP_TRUSTED_HOST", raising=False)
    assert pip_settings.read()["trusted-host"].split() == ["a.invalid", "b.invalid"]


def test_a_python_without_pip(tmp_path, monkeypatch) -> None:
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$0: No module named pip" >&2\nexit 1\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(EngineError, match=r"fails \(.*No module named pip\): install pip for this"):
        pip_settings.read()
