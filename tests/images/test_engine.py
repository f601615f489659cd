"""What is missing on a machine is said in one line, before anything long has started."""

import pytest

from tools import engine
from tools.engine import EngineError


def test_no_engine(fake) -> None:
    with pytest.raises(EngineError, match=r"no container engine here: install Docker"):
        engine.find()


def test_the_engine_that_is_named_is_not_there(fake, monkeypatch) -> None:
    monkeypatch.setenv("CONTAINER_ENGINE", "nerdctl")
    with pytest.raises(EngineError, match="CONTAINER_ENGINE is nerdctl, but there is no such"):
        engine.find()


def test_an_engine_that_does_not_answer(fake) -> None:
    fake("docker", "exit 1")
    with pytest.raises(EngineError, match="`docker info` fails: start its engine"):
        engine.find()


def test_docker_and_else_podman(fake) -> None:
    fake("podman", "echo 4.3.1")
    assert engine.find().podman
    fake("docker", "echo 28.2.2")
    assert not engine.find().podman


def test_no_gpu(fake) -> None:
    with pytest.raises(EngineError, match=r"no NVIDIA GPU answers here .* add --on-cpu"):
        engine.check_gpu("cuda13")


def test_an_old_driver(fake) -> None:
    fake("nvidia-smi", "echo 570.86.15; echo 570.86.15")  # a line for each GPU
    with pytest.raises(EngineError, match=r"570\.86\.15 is too old: cuda13 needs 580 or newer"):
        engine.check_gpu("cuda13")


def test_a_gpu_that_containers_do_not_reach(fake) -> None:
    fake("nvidia-smi", "echo 580.65.06")
    with pytest.raises(EngineError, match="install nvidia-container-toolkit"):
        engine.check_gpu("cuda13")
    fake("nvidia-ctk", "")
    engine.check_gpu("cuda13")


def test_no_tpu() -> None:
    with pytest.raises(EngineError, match="no TPU here"):
        engine.check_tpu()
