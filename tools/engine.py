"""The container engine of this machine: found, and checked for what an image needs."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The oldest driver that runs each CUDA, as NVIDIA says in
# docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html.
OLDEST_DRIVER = {"cuda12": 525, "cuda13": 580}
# Free space for building an image, in GB: the image, its packages in pip's cache, and the layers
# that BuildKit keeps.
FREE_GB = {"cpu": 6, "cuda12": 25, "cuda13": 25, "tpu": 7}


class EngineError(Exception):
    """What is missing on this machine, in one line that says what to do."""


@dataclass(frozen=True)
class Engine:
    """A client of Docker or of Podman, and where the engine keeps images."""

    command: str
    podman: bool
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What its commands run with: a client before 23 uses BuildKit only when asked."""
        return {**os.environ, "DOCKER_BUILDKIT": "1"}


def find() -> Engine:
    """The engine that CONTAINER_ENGINE names, or Docker, or Podman.

    Raises:
        EngineError: There is none, it does not answer, or it is too old.
    """
    named = os.environ.get("CONTAINER_ENGINE")
    commands = [named] if named else ["docker", "podman"]
    command = next((each for each in commands if shutil.which(each)), None)
    if command is None:
        raise EngineError(
            f"CONTAINER_ENGINE is {named}, and there is no such command: correct or unset it"
            if named
            else "no container engine here: install Docker (Debian: docker.io) or Podman"
        )
    podman = "podman" in Path(command).name
    return _podman(command) if podman else _docker(command)


def _docker(command: str) -> Engine:
    asked = _ask(command, "info", "--format", "{{.ServerVersion}} {{.DockerRootDir}}")
    if not asked:
        raise EngineError(
            f"{command} is here, but its engine does not answer: start it (systemctl start docker; "
            "your user in the group docker), or set CONTAINER_ENGINE=podman"
        )
    server, folder = asked.split(maxsplit=1)
    if _version(server) < (20, 10):
        raise EngineError(
            f"Docker Engine {server} is too old for these builds: install 20.10 or newer"
        )
    client = _ask(command, "version", "--format", "{{.Client.Version}}")
    if _version(client) >= (23, 0) and not _ask(command, "buildx", "version"):
        raise EngineError(
            f"{command} {client} has no BuildKit: install docker-buildx-plugin, or set "
            "CONTAINER_ENGINE to another client"
        )
    return Engine(command, podman=False, folder=Path(folder))


def _podman(command: str) -> Engine:
    asked = _ask(command, "info", "--format", "{{.Version.Version}} {{.Store.GraphRoot}}")
    if not asked:
        raise EngineError(f"`{command} info` fails: run it and mend what it says")
    version, folder = asked.split(maxsplit=1)
    if _version(version) < (4, 3):
        raise EngineError(f"Podman {version} is too old for these builds: install 4.3 or newer")
    return Engine(command, podman=True, folder=Path(folder))


def image_id(engine: Engine, name: str) -> str:
    """The digest of an image that the engine has, or nothing where it has none."""
    return _ask(engine.command, "image", "inspect", "--format", "{{.Id}}", name)


def check_space(engine: Engine, flavour: str) -> None:
    """Whether the engine's folder can take a flavour's image.

    Raises:
        EngineError: It is too full.
    """
    try:
        free = shutil.disk_usage(engine.folder).free / 1e9
    except OSError:  # the engine is on another machine, or its folder is not for us to see
        return
    if free < FREE_GB[flavour]:
        raise EngineError(
            f"building {flavour} takes {FREE_GB[flavour]} GB, and {engine.folder} has {free:.1f} "
            f"free: `{engine.command} system prune` removes what is not used"
        )


def check_gpu(flavour: str) -> None:
    """Whether a GPU is here that a CUDA flavour can use, and the means to hand it to a container.

    Raises:
        EngineError: One of them is missing or too old.
    """
    driver = _ask("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    if not driver:
        raise EngineError(
            f"no NVIDIA GPU answers here (nvidia-smi): run {flavour} on a machine with one, "
            "or add --on-cpu to run the image without"
        )
    driver = driver.splitlines()[0]
    if _version(driver) < (OLDEST_DRIVER[flavour],):
        raise EngineError(
            f"the NVIDIA driver {driver} is too old for {flavour}: it takes "
            f"{OLDEST_DRIVER[flavour]} or newer"
            + (f", or take cuda12 ({OLDEST_DRIVER['cuda12']})" if flavour == "cuda13" else "")
        )
    if not shutil.which("nvidia-container-runtime-hook") and not shutil.which("nvidia-ctk"):
        raise EngineError(
            "containers cannot get at the GPU: install nvidia-container-toolkit and configure the "
            "engine with `nvidia-ctk`"
        )


def check_tpu() -> None:
    """Whether a TPU is here.

    Raises:
        EngineError: There is none.
    """
    if not [*Path("/dev").glob("accel[0-9]*"), *Path("/dev/vfio").glob("[0-9]*")]:
        raise EngineError(
            "no TPU here (/dev/accel*, /dev/vfio/*): run tpu on a TPU VM, "
            "or add --on-cpu to run the image without"
        )


def _ask(*command: str) -> str:
    """What a command prints, or nothing where it fails or is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])
