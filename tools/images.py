"""Build one of the project's images, and run a session in it or publish it.

``python tools/images.py cpu tests``: the flavour, then tests, bench, reproduce or book, and its
arguments; without a session, ``jaxvstorch doctor``. ``--on-cpu`` after the flavour runs an image
for an accelerator without one. ``python tools/images.py publish v1.2.3 cpu`` pushes one.
Environment variables: CONTAINER_ENGINE (docker, podman, or a path), BASE (the base image),
IMAGE_REGISTRY (where to push), and pip's own.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import engine as engines
import pip_settings
from engine import Engine, EngineError

sys.path.append(str(Path(__file__).parents[1]))  # the project is not installed for this
from benchmarks import origin, processes

ROOT = Path(__file__).parents[1]
FLAVOURS = ("cpu", "cuda12", "cuda13", "tpu")
# The folders that sessions write their results to.
OUTPUTS = {"bench": "bench-out", "reproduce": "bench-out", "book": "book/_build"}
SESSIONS = ("tests", *OUTPUTS)  # an image holds what these need
USAGE = (
    f"usage: nox -s docker -- {'|'.join(FLAVOURS)} [--on-cpu] [{'|'.join(SESSIONS)} [ARGUMENT ...]]"
)


def main(arguments: list[str]) -> int:
    """Build and run; returns the container's exit code.

    Raises:
        EngineError: This machine cannot do it, found out before anything long has started.
    """
    if arguments[:1] == ["publish"] and len(arguments) == 3 and arguments[2] in FLAVOURS:
        publish(engines.find(), *arguments[1:])
        return 0
    if not arguments or arguments[0] not in FLAVOURS:
        raise EngineError(USAGE)
    flavour, *rest = arguments
    on_cpu = rest[:1] == ["--on-cpu"]
    session, *options = [*rest[on_cpu:], ""]
    if session not in ("", *SESSIONS):
        raise EngineError(USAGE)
    engine = engines.find()
    # Where there is one of an earlier source, a build takes little.
    if not engines.image_id(engine, f"jaxvstorch:{flavour}"):
        engines.check_space(engine, flavour)
    if not on_cpu and flavour in engines.OLDEST_DRIVER:
        engines.check_gpu(flavour)
    if not on_cpu and flavour == "tpu":
        engines.check_tpu()
    # A build reaches the same indexes as this machine does, also through its loopback.
    build(engine, flavour, "build", "--network", "host", "--tag", f"jaxvstorch:{flavour}")
    return run(engine, flavour, session, options[:-1], on_cpu)


def publish(engine: Engine, tag: str, flavour: str) -> None:
    """Build one flavour and push it, with its provenance and a list of what is in it.

    Raises:
        EngineError: Nothing says where to, or this engine cannot do it.
    """
    if engine.podman:
        raise EngineError(
            "publishing takes Docker, for Podman pushes no provenance: install it, or set "
            "CONTAINER_ENGINE=docker"
        )
    registry = os.environ.get("IMAGE_REGISTRY")
    if not registry:
        raise EngineError(
            "set IMAGE_REGISTRY to where images go, as in registry.example/jaxvstorch"
        )
    engines.check_space(engine, flavour)
    names = [f"{registry}/jaxvstorch:{version}{flavour}" for version in (f"{tag}-", "")]
    build(
        engine, flavour, "buildx", "build", "--push", "--provenance", "mode=max", "--sbom", "true",
        *(part for name in names for part in ("--tag", name)),
    )  # fmt: skip


def build(engine: Engine, flavour: str, *command: str) -> None:
    """Build one flavour, with this machine's settings and certificates of pip as secrets."""
    settings = pip_settings.read()
    pip_settings.bring_wheels(flavour, settings)
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        secret = Path(folder, "pip.conf")
        secret.write_text(pip_settings.conf(flavour, settings), encoding="utf-8")
        secrets = [f"id=pip,src={secret}"]
        if certificates := settings.get("cert"):
            secrets.append(f"id=certificates,src={certificates}")
        arguments = {"FLAVOUR": flavour, "COMMIT": origin.commit(ROOT)}
        if base := os.environ.get("BASE"):
            arguments["BASE"] = base
        tell(
            engine, *command, "--file", "docker/Dockerfile",
            *(part for secret in secrets for part in ("--secret", secret)),
            *(part for pair in arguments.items() for part in ("--build-arg", "=".join(pair))),
            ".",
        )  # fmt: skip


def run(engine: Engine, flavour: str, session: str, options: list[str], on_cpu: bool) -> int:
    """Run a session; what it writes becomes the caller's, in its usual place.

    It has no network, but on a TPU (see ``device``).

    Raises:
        EngineError: There is no such image.
    """
    given = ["run", "--rm", *device(engine, flavour, on_cpu)]
    if not engine.podman:  # which takes a package for it that Debian does not install with it
        given.append("--init")
    if output := OUTPUTS.get(session):
        (ROOT / output).mkdir(parents=True, exist_ok=True)
        given += ["--volume", f"{ROOT / output}:/jaxvstorch/{output}", *owner(engine)]
    image = f"jaxvstorch:{flavour}"
    digest = engines.image_id(engine, image)
    if not digest:
        raise EngineError(
            f"the build left no {image} in the engine: choose its own builder, as by "
            f"`{engine.command} buildx use default`"
        )
    given += ["--env", f"JAXVSTORCH_IMAGE={flavour} {digest}"]
    container, heed = processes.start(
        [engine.command, *given, image, *command(session, options)], env=engine.environment
    )
    try:
        heed()
        return container.wait()
    except KeyboardInterrupt:
        # The container has had it too, and ends when it has kept what it measured.
        return container.wait()


def command(session: str, options: list[str]) -> list[str]:
    """What a container runs; nothing stands for what the image does by itself."""
    return ["nox", "-s", session, *(["--", *options] if options else [])] if session else []


def device(engine: Engine, flavour: str, on_cpu: bool) -> list[str]:
    """How a container gets at its accelerator, and at nothing else; at a TPU only with all else."""
    if flavour == "tpu" and not on_cpu:
        # A TPU's driver asks the machine's metadata server where it is.
        return ["--privileged", "--network", "host", "--env", "JAX_PLATFORMS=tpu,cpu"]
    alone = ["--network", "none"]
    if flavour == "cpu":
        return alone
    if on_cpu:
        return [*alone, "--env", "JAX_PLATFORMS=cpu"]
    # With this variable JAX fails where its plugin does, and does not take the CPU instead.
    wanted = ["--env", "JAX_PLATFORMS=cuda,cpu"]
    return [
        *alone,
        *wanted,
        *(["--device", "nvidia.com/gpu=all"] if engine.podman else ["--gpus", "all"]),
    ]


def owner(engine: Engine) -> list[str]:
    """Files belong to who called; Podman without root has to map this user to itself."""
    user = ["--user", f"{os.getuid()}:{os.getgid()}"]
    return ["--userns", "keep-id", *user] if engine.podman and os.getuid() else user


def tell(engine: Engine, *arguments: str) -> None:
    """Have the engine do something.

    Raises:
        EngineError: It failed.
    """
    done = subprocess.run([engine.command, *arguments], cwd=ROOT, env=engine.environment)
    if done.returncode:
        raise EngineError(f"`{engine.command} {arguments[0]}` failed; its own words are above")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except EngineError as error:
        sys.exit(f"docker: {error}")
