"""Build one of the project's images, and run a session in it or publish it.

``python -m tools.images cpu tests``: the flavour, then tests, bench, reproduce or book, and its
arguments; without a session, ``jaxvstorch doctor``. ``--on-cpu`` after the flavour runs an image
for an accelerator without one. ``python -m tools.images publish v1.2.3 cpu`` pushes one.
Environment variables: CONTAINER_ENGINE (docker, podman, or a path), BASE (the base image),
IMAGE_REGISTRY (where to push), and pip's own.
"""

import os
import sys
import tempfile
from pathlib import Path

from benchmarks import origin, processes
from tools import engine as engines
from tools import pip_settings
from tools.engine import Engine, EngineError

ROOT = Path(__file__).parents[1]
FLAVOURS = ("cpu", "cuda12", "cuda13", "tpu")
# JAX's processes on CPUs ask which address the host's name stands for. This one's is known.
ALONE = ("--network", "none", "--hostname", "localhost")
# The folders that sessions write their results to.
OUTPUTS = {"bench": "bench-out", "reproduce": "bench-out", "book": "book/_build"}
SESSIONS = ("tests", *OUTPUTS)  # an image holds what these need
USAGE = (
    f"usage: nox -s docker -- {'|'.join(FLAVOURS)} [--on-cpu] [{'|'.join(SESSIONS)} [ARGUMENT ...]]"
)


def main(arguments: list[str]) -> int:
    """Build and run, or publish; returns the container's exit code.

    Raises:
        EngineError: This machine cannot do it, found out before anything long has started.
    """
    match arguments:
        case ["publish", tag, flavour] if flavour in FLAVOURS:
            publish(engines.find(), tag, flavour)
            return 0
        case [flavour, "--on-cpu", *session] if flavour in FLAVOURS:
            on_cpu = True
        case [flavour, *session] if flavour in FLAVOURS:
            on_cpu = flavour == "cpu"
        case _:
            raise EngineError(USAGE)
    if session and session[0] not in SESSIONS:
        raise EngineError(USAGE)
    engine = engines.find()
    if not on_cpu:
        engines.check_tpu() if flavour == "tpu" else engines.check_gpu(flavour)
    # A build reaches the same indexes as this machine does, also through its loopback.
    build(engine, flavour, "build", "--network", "host", "--tag", f"jaxvstorch:{flavour}")
    return run(engine, flavour, session, on_cpu)


def publish(engine: Engine, tag: str, flavour: str) -> None:
    """Build one flavour and push it, with its provenance and a list of what is in it.

    Raises:
        EngineError: Nothing says where to.
    """
    registry = os.environ.get("IMAGE_REGISTRY")
    if not registry:
        raise EngineError(
            "set IMAGE_REGISTRY to where to push images, as in registry.example/jaxvstorch"
        )
    name = f"{registry}/jaxvstorch"
    build(
        engine, flavour, "buildx", "build", "--push", "--provenance", "mode=max", "--sbom", "true",
        "--tag", f"{name}:{tag}-{flavour}", "--tag", f"{name}:{flavour}",
    )  # fmt: skip


def build(engine: Engine, flavour: str, *command: str) -> None:
    """Build one flavour, with this machine's settings and certificates of pip as secrets."""
    settings = pip_settings.read()
    pip_settings.bring_wheels(flavour, settings)
    with tempfile.NamedTemporaryFile("w", prefix="jaxvstorch-", encoding="utf-8") as secret:
        secret.write(pip_settings.conf(flavour, settings))
        secret.flush()
        options = ["--secret", f"id=pip,src={secret.name}"]
        if certificates := settings.get("cert"):
            options += ["--secret", f"id=certificates,src={certificates}"]
        if base := os.environ.get("BASE"):
            options += ["--build-arg", f"BASE={base}"]
        options += ["--build-arg", f"FLAVOUR={flavour}"]
        options += ["--build-arg", f"COMMIT={origin.commit(ROOT)}"]
        engine.tell(*command, "--file", "docker/Dockerfile", *options, ".", folder=ROOT)


def run(engine: Engine, flavour: str, session: list[str], on_cpu: bool) -> int:
    """Run a session, its name first; what it writes becomes the caller's, in its usual place.

    Without a session it prints what the doctor finds. It has no network, but on a TPU.

    Raises:
        EngineError: There is no such image.
    """
    image = f"jaxvstorch:{flavour}"
    digest = engine.image_id(image)
    if not digest:
        raise EngineError(
            f"the build left no {image} in the engine: choose the engine's own builder, as with "
            f"`{engine.command} buildx use default`"
        )
    given = [*device(engine, flavour, on_cpu), "--env", f"JAXVSTORCH_IMAGE={flavour} {digest}"]
    if not engine.podman:  # which takes a package for it that Debian does not install with it
        given.append("--init")
    if output := OUTPUTS.get("".join(session[:1])):
        (ROOT / output).mkdir(parents=True, exist_ok=True)
        given += ["--volume", f"{ROOT / output}:/jaxvstorch/{output}", *owner(engine)]
    inside = ["nox", "-s", session[0], "--", *session[1:]] if session else []
    command = [engine.command, "run", "--rm", *given, image, *inside]
    container, heed = processes.start(command, env=engine.environment)
    try:
        heed()
        return container.wait()
    except KeyboardInterrupt:
        # The container has had it too, and ends when it has kept what it measured.
        return container.wait()


def device(engine: Engine, flavour: str, on_cpu: bool) -> list[str]:
    """How a container gets at its accelerator, and at nothing else; at a TPU only with all else."""
    if flavour == "cpu":
        return [*ALONE]
    if on_cpu:
        return [*ALONE, "--env", "JAX_PLATFORMS=cpu"]
    if flavour == "tpu":
        # A TPU's driver asks the machine's metadata server where it is.
        return ["--privileged", "--network", "host", "--env", "JAX_PLATFORMS=tpu,cpu"]
    gpu = ["--device", "nvidia.com/gpu=all"] if engine.podman else ["--gpus", "all"]
    # With this variable JAX fails where its plugin does, and does not take the CPU instead.
    return [*ALONE, "--env", "JAX_PLATFORMS=cuda,cpu", *gpu]


def owner(engine: Engine) -> list[str]:
    """Files belong to who called; Podman without root has to map this user to itself."""
    user = ["--user", f"{os.getuid()}:{os.getgid()}"]
    return ["--userns", "keep-id", *user] if engine.podman and os.getuid() else user


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except EngineError as error:
        sys.exit(f"docker: {error}")
