"""What pip is told on this machine, and what of it the build of an image is told in turn."""

import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tools.engine import EngineError

ROOT = Path(__file__).parents[1]
WHEELHOUSE = ROOT / "docker/wheelhouse"
PLACES = ("index-url", "extra-index-url", "find-links")
WAYS = ("trusted-host", "proxy")


def read() -> dict[str, str]:
    """What pip is told by its files and its environment variables.

    Raises:
        EngineError: This Python has no pip, or pip cannot read its settings.
    """
    command = [sys.executable, "-m", "pip", "config", "list"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise EngineError(f"a build uses pip's settings, but pip cannot list them: {done.stderr}")
    found = {}
    # A file's settings are `global.cert='...'`; the environment's, `:env:.cert='...'`, win.
    for line in sorted(done.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        found[name.split(".")[-1]] = value.strip("'\"").replace("\\n", " ")
    return found


def conf(flavour: str, settings: dict[str, str]) -> str:
    """A ``pip.conf`` with the places of packages that can be reached from a container.

    Raises:
        EngineError: PyTorch without CUDA is asked for, and nothing says where it is.
    """
    places = {
        name: [each for each in settings.get(name, "").split() if _remote(each)] for name in PLACES
    }
    if flavour in ("cpu", "tpu") and not any([*places.values(), *WHEELHOUSE.glob("torch-*.whl")]):
        raise EngineError(
            f"the image {flavour} takes PyTorch without CUDA: set PIP_EXTRA_INDEX_URL to the index "
            "that pytorch.org names for CPU, or put that wheel into docker/wheelhouse"
        )
    ways = {name: settings.get(name, "").split() for name in WAYS}
    lines = [f"{name} = {' '.join(found)}" for name, found in (places | ways).items() if found]
    return "\n".join(["[global]", *lines, ""])


def bring_wheels(flavour: str, settings: dict[str, str]) -> None:
    """Put into the wheelhouse what pip's own folders hold of the wheels that a flavour pins."""
    text = (ROOT / f"docker/requirements/{flavour}.txt").read_text(encoding="utf-8")
    pinned = set(text.replace("===", "==").splitlines())
    for folder in settings.get("find-links", "").split():
        for wheel in Path(folder).glob("*-*-*.whl") if not _remote(folder) else ():
            name, version, *_ = wheel.name.split("-")
            wanted = f"{name.lower().replace('_', '-')}=={version}" in pinned
            if wanted and not (WHEELHOUSE / wheel.name).exists():
                shutil.copy2(wheel, WHEELHOUSE)


def _remote(place: str) -> bool:
    return urlsplit(place).scheme in ("http", "https")
