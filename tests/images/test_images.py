"""What the engine is told to build and to run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import origin
from tools import images, pip_settings
from tools.engine import Engine, EngineError

DOCKER, PODMAN = Engine("docker"), Engine("podman")


def test_what_an_image_takes_in_is_there() -> None:
    """A name that is wrong would be missing in the image, and nothing would say so."""
    lines = (images.ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    taken = [line.removeprefix("!") for line in lines if line.startswith("!")]
    assert "jaxvstorch" in taken
    assert [name for name in taken if not list(images.ROOT.glob(name))] == []


@pytest.mark.parametrize("arguments", [[], ["gpu"], ["cpu", "--quick"], ["tests"], ["cpu", "lint"]])
def test_a_wrong_command_says_the_right_one(arguments) -> None:
    with pytest.raises(EngineError, match=r"usage: nox -s docker -- cpu\|cuda12"):
        images.main(arguments)


ALONE = ["--network", "none", "--hostname", "localhost"]


@pytest.mark.parametrize(
    ("engine", "flavour", "expected"),
    [
        (DOCKER, "cpu", ALONE),
        (DOCKER, "cuda13",
         [*ALONE, "--env", "JAX_PLATFORMS=cuda,cpu", "--gpus", "all"]),
        (PODMAN, "cuda12",
         [*ALONE, "--env", "JAX_PLATFORMS=cuda,cpu", "--device", "nvidia.com/gpu=all"]),
        (DOCKER, "tpu",
         ["--privileged", "--network", "host", "--env", "JAX_PLATFORMS=tpu,cpu"]),
    ],
)  # fmt: skip
def test_a_container_gets_its_accelerator_and_no_network(engine, flavour, expected) -> None:
    assert images.device(engine, flavour, on_cpu=False) == expected


def test_an_image_for_an_accelerator_runs_without_one() -> None:
    assert images.device(DOCKER, "tpu", True) == [*ALONE, "--env", "JAX_PLATFORMS=cpu"]


def test_results_belong_to_the_caller(monkeypatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1234)
    monkeypatch.setattr(os, "getgid", lambda: 99)
    assert images.owner(DOCKER) == ["--user", "1234:99"]
    assert images.owner(PODMAN) == ["--userns", "keep-id", "--user", "1234:99"]


def test_the_exit_code_is_the_containers(fake, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(images, "ROOT", tmp_path)
    fake("docker", 'test "$1" = image && echo sha256:1 && exit 0\necho "$@" >"$0.said"\nexit 7')
    assert images.run(DOCKER, "cpu", ["bench", "--quick"], True) == 7
    said = (tmp_path / "bin/docker.said").read_text(encoding="utf-8")
    assert "--env JAXVSTORCH_IMAGE=cpu sha256:1 " in said
    assert f"--volume {tmp_path}/bench-out:/jaxvstorch/bench-out" in said
    assert said.endswith(" jaxvstorch:cpu nox -s bench -- --quick\n")


def test_a_builder_that_keeps_its_images_to_itself(fake) -> None:
    fake("docker", "exit 1")
    with pytest.raises(EngineError, match=r"left no jaxvstorch:cpu in the engine: .* use default"):
        images.run(DOCKER, "cpu", ["tests"], True)


def test_an_interrupted_container_is_waited_for(fake, tmp_path) -> None:
    fake(
        "docker",
        'test "$1" = image && echo sha256:1 && exit 0\n'
        "trap '/bin/sleep 1; echo >\"$0.kept\"; exit 3' INT\n"
        'echo >"$0.started"\nwhile :; do /bin/sleep 0.1; done',
    )
    code = (
        "import signal, sys; from tools import images; from tools.engine import Engine;"
        # A shell's background job, with all that it starts, would ignore the signal.
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "sys.exit(images.run(Engine('docker'), 'cpu', ['tests'], True))"
    )
    root = Path(images.__file__).parents[1]
    with subprocess.Popen([sys.executable, "-c", code], cwd=root, start_new_session=True) as tool:
        while not (tmp_path / "bin/docker.started").exists():
            assert tool.poll() is None
            time.sleep(0.05)
        os.killpg(tool.pid, signal.SIGINT)  # as a terminal does
        try:
            assert tool.wait() == 3
        finally:
            if tool.poll() is None:
                os.killpg(tool.pid, signal.SIGKILL)
    assert (tmp_path / "bin/docker.kept").exists()


def test_an_image_is_published_with_its_provenance(fake, tmp_path, monkeypatch) -> None:
    fake("docker", 'echo "$@" >"$0.said"')
    monkeypatch.setattr(pip_settings, "read", dict)
    monkeypatch.setattr(origin, "commit", lambda root: "abc")
    with pytest.raises(EngineError, match="set IMAGE_REGISTRY to where to push images"):
        images.publish(DOCKER, "v1.2.3", "cuda13")
    monkeypatch.setenv("IMAGE_REGISTRY", "registry.invalid/own")
    images.publish(DOCKER, "v1.2.3", "cuda13")
    said = (tmp_path / "bin/docker.said").read_text(encoding="utf-8")
    assert said.startswith("buildx build --push --provenance mode=max --sbom true")
    assert "--tag registry.invalid/own/jaxvstorch:v1.2.3-cuda13" in said
    assert "--tag registry.invalid/own/jaxvstorch:cuda13" in said
    assert "--build-arg FLAVOUR=cuda13 --build-arg COMMIT=abc" in said
    assert "--network" not in said  # a builder that makes provenance is not given the host's
    fake("docker", "exit 1")
    with pytest.raises(EngineError, match="`docker buildx` failed; its output is above"):
        images.publish(DOCKER, "v1.2.3", "cuda13")
