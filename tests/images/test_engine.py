"""What is missing on a machine is said in one line, before anything long has started."""

import engine
import pytest
from engine import EngineError

DOCKER = """case "$1 $3" in
"info {{.ServerVersion}} {{.DockerRootDir}}") echo %s;;
"version {{.Client.Version}}") echo %s;;
"buildx "*) %s;;
*) exit 1;;
esac"""


def test_no_engine(fake) -> None:
    with pytest.raises(EngineError, match=r"no container engine here: install Docker"):
        engine.find()


def test_the_engine_that_is_named_is_not_there(fake, monkeypatch) -> None:
    monkeypatch.setenv("CONTAINER_ENGINE", "nerdctl")
    with pytest.raises(EngineError, match="CONTAINER_ENGINE is nerdctl, and there is no such"):
        engine.find()


def test_an_engine_that_does_not_answer(fake) -> None:
    fake("docker", "exit 1")
    with pytest.raises(EngineError, match="docker is here, but its engine does not answer: start"):
        engine.find()


def test_an_engine_from_before_buildkit(fake) -> None:
    fake("docker", DOCKER % ("18.09.1 /var/lib/docker", "18.09.1", "exit 1"))
    with pytest.raises(EngineError, match=r"Docker Engine 18\.09\.1 is too old"):
        engine.find()


def test_a_client_without_buildkit(fake) -> None:
    fake("docker", DOCKER % ("28.2.2 /var/lib/docker", "28.2.2", "exit 1"))
    with pytest.raises(
        EngineError, match=r"docker 28\.2\.2 has no BuildKit: install docker-buildx-plugin"
    ):
        engine.find()


@pytest.mark.parametrize(
    ("client", "buildx"), [("20.10.24+dfsg1", "exit 1"), ("28.2.2", "echo v0.24")]
)
def test_a_docker_that_can_build(fake, client, buildx) -> None:
    fake("docker", DOCKER % ("20.10.24+dfsg1 /srv/docker data", client, buildx))
    found = engine.find()
    assert (found.command, found.podman, str(found.folder)) == (
        "docker", False, "/srv/docker data",
    )  # fmt: skip
    assert found.environment["DOCKER_BUILDKIT"] == "1"


def test_podman_where_there_is_no_docker(fake) -> None:
    fake("podman", 'test "$1" = info && echo 4.3.1 /var/lib/containers')
    assert engine.find().podman


@pytest.mark.parametrize(
    ("script", "message"), [("exit 125", "info` fails"), ("echo 3.0.1 /x", "too old")]
)
def test_a_podman_that_cannot_build(fake, script, message) -> None:
    fake("podman", script)
    with pytest.raises(EngineError, match=message):
        engine.find()


def test_a_full_disk(fake, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(engine.FREE_GB, "cpu", 10**9)
    with pytest.raises(EngineError, match=r"takes 1000000000 GB, and .* free: `docker system"):
        engine.check_space(engine.Engine("docker", False, tmp_path), "cpu")


def test_an_engine_elsewhere_has_its_own_disk(fake, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(engine.FREE_GB, "cpu", 10**9)
    engine.check_space(engine.Engine("docker", False, tmp_path / "not here"), "cpu")


def test_a_folder_that_only_the_engine_sees(fake, tmp_path, monkeypatch) -> None:
    def refuse(path):
        raise PermissionError(path)

    monkeypatch.setattr(engine.shutil, "disk_usage", refuse)
    engine.check_space(engine.Engine("docker", False, tmp_path), "cpu")


def test_no_gpu(fake) -> None:
    with pytest.raises(EngineError, match=r"no NVIDIA GPU answers here .* add --on-cpu"):
        engine.check_gpu("cuda13")


@pytest.mark.parametrize(
    ("flavour", "driver", "message"),
    [
        ("cuda13", "570.86.15", "570.86.15 is too old for cuda13: it takes 580 or newer, or take"),
        ("cuda12", "470.1", r"470.1 is too old for cuda12: it takes 525 or newer$"),
    ],
)
def test_an_old_driver(fake, flavour, driver, message) -> None:
    fake("nvidia-smi", f"echo {driver}; echo {driver}")
    with pytest.raises(EngineError, match=message):
        engine.check_gpu(flavour)


def test_a_gpu_that_containers_do_not_reach(fake) -> None:
    fake("nvidia-smi", "echo 580.65.06")
    with pytest.raises(EngineError, match="install nvidia-container-toolkit"):
        engine.check_gpu("cuda13")
    fake("nvidia-ctk", "")
    engine.check_gpu("cuda13")


def test_no_tpu() -> None:
    with pytest.raises(EngineError, match="no TPU here"):
        engine.check_tpu()
