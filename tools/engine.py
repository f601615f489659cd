"""The container engine of this machine, and the accelerators that it can hand to a container."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The oldest driver that runs each CUDA, as NVIDIA says in
# docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html.
OLDEST_DRIVER = {"cuda12": 525, "cuda13": 580}


class EngineError(Exception):
    """What is missing on this machine, in one line that says what to do."""


@dataclass(frozen=True)
class Engine:
    """A client of Docker or of Podman."""

    command: str

    @property
    def podman(self) -> bool:
        """Whether it is Podman, some of whose options are its own."""
        return "podman" in Path(self.command).name

    @property
    def environment(self) -> dict[str, str]:
        """What its commands run with: a client before 23 uses BuildKit only when asked."""
        return {**os.environ, "DOCKER_BUILDKIT": "1"}

    def image_id(self, name: str) -> str:
        """The digest of an image that the engine has, or nothing where it has none."""
        return _ask(self.command, "image", "inspect", "--format", "{{.Id}}", name)

    def tell(self, *arguments: str, folder: Path) -> None:
        """Have the engine do something, in a folder.

        Raises:
            EngineError: It failed.
        """
        command = [self.command, *arguments]
        if subprocess.run(command, cwd=folder, env=self.environment).returncode:
            raise EngineError(f"`{self.command} {arguments[0]}` failed; its output is above")


def find() -> Engine:
    """The engine that CONTAINER_ENGINE names, or Docker, or Podman.

    Raises:
        EngineError: There is none, or it does not answer.
    """
    named = os.environ.get("CONTAINER_ENGINE")
    commands = [named] if named else ["docker", "podman"]
    command = next((each for each in commands if shutil.which(each)), None)
    if command is None:
        raise EngineError(
            f"CONTAINER_ENGINE is {named}, but there is no such command: correct or unset it"
            if named
            else "no container engine here: install Docker (Debian: docker.io) or Podman"
        )
    if not _ask(command, "info"):
        raise EngineError(
            f"`{command} info` fails: start its engine (systemctl start docker; your user in the "
            "group docker), or name another one in CONTAINER_ENGINE"
        )
    return Engine(command)


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
    driver, oldest = driver.splitlines()[0], OLDEST_DRIVER[flavour]
    if int(driver.split(".")[0]) < oldest:
        raise EngineError(
            f"the NVIDIA driver {driver} is too old: {flavour} needs {oldest} or newer"
        )
    if not shutil.which("nvidia-container-runtime-hook") and not shutil.which("nvidia-ctk"):
        raise EngineError(
            "containers cannot use the GPU: install nvidia-container-toolkit and configure the "
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
