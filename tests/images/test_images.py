"""What the engine is told to build and to run, and what it is not told."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import engine as engines
import images
import pip_settings
import pytest
from engine import Engine, EngineError

from benchmarks import origin

DOCKER = Engine("docker", podman=False, folder=Path("/"))
PODMAN = Engine("podman", podman=True, folder=Path("/"))


def test_what_git_ignores_does_not_get_into_an_image() -> None:
    """Wheels of the wheelhouse do, and are removed there: a build takes them."""
    ignored, left = (
        {line.strip("/") for line in (images.ROOT / name).read_text(encoding="utf-8").splitlines()}
        for name in (".gitignore", ".dockerignore")
    )
    assert {"bench-out", "have.txt", "out", "wheels"} <= ignored
    assert ignored - {each.removeprefix("**/") for each in left} == {"docker/wheelhouse/*.whl"}


@pytest.mark.parametrize("arguments", [[], ["gpu"], ["cpu", "--quick"], ["tests"], ["cpu", "lint"]])
def test_a_wrong_command_says_the_right_one(arguments) -> None:
    with pytest.raises(EngineError, match=r"usage: nox -s docker -- cpu\|cuda12"):
        images.main(arguments)


@pytest.mark.parametrize(
    ("engine", "flavour", "on_cpu", "expected"),
    [
        (DOCKER, "cpu", False, ["--network", "none"]),
        (DOCKER, "cuda13", True, ["--network", "none", "--env", "JAX_PLATFORMS=cpu"]),
        (DOCKER, "cuda13", False,
         ["--network", "none", "--env", "JAX_PLATFORMS=cuda,cpu", "--gpus", "all"]),
        (PODMAN, "cuda12", False, ["--network", "none", "--env", "JAX_PLATFORMS=cuda,cpu",
                                   "--device", "nvidia.com/gpu=all"]),
        (DOCKER, "tpu", True, ["--network", "none", "--env", "JAX_PLATFORMS=cpu"]),
    ],
)  # fmt: skip
def test_a_container_gets_its_accelerator_and_no_network(engine, flavour, on_cpu, expected) -> None:
    assert images.device(engine, flavour, on_cpu) == expected


def test_a_container_on_a_tpu_is_not_shut_in_and_the_page_says_so() -> None:
    options = images.device(DOCKER, "tpu", on_cpu=False)
    assert options == ["--privileged", "--network", "host", "--env", "JAX_PLATFORMS=tpu,cpu"]
    page = (images.ROOT / "book/reference/images.md").read_text(encoding="utf-8")
    assert f"`{' '.join(options[:3])}`" in page


def test_results_belong_to_the_caller(monkeypatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1234)
    monkeypatch.setattr(os, "getgid", lambda: 99)
    assert images.owner(DOCKER) == ["--user", "1234:99"]
    assert images.owner(PODMAN) == ["--userns", "keep-id", "--user", "1234:99"]


@pytest.mark.parametrize(
    ("session", "options", "expected"),
    [
        ("", [], []),
        ("tests", [], ["nox", "-s", "tests"]),
        ("tests", ["-k", "a or b"], ["nox", "-s", "tests", "--", "-k", "a or b"]),
    ],
)
def test_a_session_becomes_a_command_of_nox(session, options, expected) -> None:
    assert images.command(session, options) == expected


def test_the_exit_code_is_the_containers(fake, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(images, "ROOT", tmp_path)
    fake("docker", 'test "$1" = image && echo sha256:1 && exit 0\necho "$@" >"$0.said"\nexit 7')
    assert images.run(DOCKER, "cpu", "bench", ["--quick"], False) == 7
    said = (tmp_path / "bin/docker.said").read_text(encoding="utf-8")
    assert f"--volume {tmp_path}/bench-out:/jaxvstorch/bench-out" in said
    assert "JAXVSTORCH_IMAGE=cpu sha256:1 jaxvstorch:cpu nox -s bench -- --quick" in said


def test_a_builder_that_keeps_its_images_to_itself(fake) -> None:
    fake("docker", "exit 1")
    with pytest.raises(EngineError, match=r"left no jaxvstorch:cpu in the engine: .* use default"):
        images.run(DOCKER, "cpu", "tests", [], False)


def test_an_interrupted_container_is_waited_for(fake, tmp_path) -> None:
    fake(
        "docker",
        'test "$1" = image && echo sha256:1 && exit 0\n'
        "trap '/bin/sleep 1; echo >\"$0.kept\"; exit 3' INT\n"
        'echo >"$0.started"\nwhile :; do /bin/sleep 0.1; done',
    )
    code = (
        "import signal, sys; from pathlib import Path; import images; from engine import Engine;"
        # A shell's background job, with all that it starts, would ignore the signal.
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "engine = Engine('docker', podman=False, folder=Path('/'));"
        "sys.exit(images.run(engine, 'cpu', 'tests', [], False))"
    )
    tools = Path(images.__file__).parent
    with subprocess.Popen([sys.executable, "-c", code], cwd=tools, start_new_session=True) as tool:
        while not (tmp_path / "bin/docker.started").exists():
            assert tool.poll() is None
            time.sleep(0.05)
        os.killpg(tool.pid, signal.SIGINT)  # as a terminal does
        try:
            assert tool.wait(timeout=30) == 3
        finally:
            if tool.poll() is None:
                os.killpg(tool.pid, signal.SIGKILL)
    assert (tmp_path / "bin/docker.kept").exists()


def test_a_build_that_fails_is_an_error(fake) -> None:
    fake("docker", "exit 1")
    with pytest.raises(EngineError, match="`docker build` failed; its own words are above"):
        images.tell(DOCKER, "build", ".")


def test_an_image_is_published_with_its_provenance(fake, tmp_path, monkeypatch) -> None:
    fake("docker", 'echo "$@" >"$0.said"')
    elsewhere = Engine("docker", podman=False, folder=tmp_path / "not here")
    monkeypatch.setattr(pip_settings, "read", dict)
    monkeypatch.setattr(origin, "commit", lambda root: "abc")
    with pytest.raises(EngineError, match="set IMAGE_REGISTRY to where images go"):
        images.publish(elsewhere, "v1.2.3", "cuda13")
    monkeypatch.setenv("IMAGE_REGISTRY", "registry.invalid/own")
    images.publish(elsewhere, "v1.2.3", "cuda13")
    said = (tmp_path / "bin/docker.said").read_text(encoding="utf-8")
    assert said.startswith("buildx build --push --provenance mode=max --sbom true")
    assert "--tag registry.invalid/own/jaxvstorch:v1.2.3-cuda13" in said
    assert "--tag registry.invalid/own/jaxvstorch:cuda13" in said
    assert "--build-arg FLAVOUR=cuda13 --build-arg COMMIT=abc" in said
    assert "--network" not in said  # a builder that makes provenance is not given the host's


def test_podman_does_not_publish(monkeypatch) -> None:
    monkeypatch.setenv("IMAGE_REGISTRY", "registry.invalid/own")
    with pytest.raises(EngineError, match="publishing takes Docker, for Podman pushes no prov"):
        images.publish(PODMAN, "v1.2.3", "cpu")


def test_publishing_takes_room(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("IMAGE_REGISTRY", "registry.invalid/own")
    monkeypatch.setitem(engines.FREE_GB, "cpu", 10**9)
    with pytest.raises(EngineError, match="building cpu takes 1000000000 GB"):
        images.publish(Engine("docker", podman=False, folder=tmp_path), "v1.2.3", "cpu")


@pytest.mark.parametrize("built", [False, True])
def test_a_build_takes_room_where_there_was_none_before(fake, tmp_path, monkeypatch, built) -> None:
    here = Engine("docker", podman=False, folder=tmp_path)
    monkeypatch.setattr(engines, "find", lambda: here)
    monkeypatch.setitem(engines.FREE_GB, "cpu", 10**9)
    monkeypatch.setattr(images, "build", lambda *arguments: None)
    monkeypatch.setattr(images, "run", lambda *arguments: 7)
    fake("docker", "echo sha256:1" if built else "exit 1")
    if built:
        assert images.main(["cpu"]) == 7
    else:
        with pytest.raises(EngineError, match="building cpu takes 1000000000 GB"):
            images.main(["cpu"])
