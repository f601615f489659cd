"""Which topics are proven as they stand: by the full matrix of tests, run on these very files.

``nox -s nightly`` runs the matrix, and then this file as a script: it writes a digest for each
topic to ``proven.json``, which is committed. A topic is proven where its digest is still the same.
"""

import hashlib
import json
import os
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import torch

from jaxvstorch.doctor import compiler
from jaxvstorch.registry import topics

ROOT = Path(__file__).parents[1]
FILE = Path(__file__).with_name("proven.json")
# What decides what the pairs of a topic compute, and how they are compared, beside its own folder.
SHARED = (
    "jaxvstorch/pair.py",
    "jaxvstorch/parity",
    "jaxvstorch/frameworks",
    "jaxvstorch/measure/calls.py",
    "jaxvstorch/measure/waiting.py",
    "tests/test_pairs.py",
    "tests/checked.py",
    "tests/conftest.py",
    "tests/needs.py",
    "tests/older_torch.py",
)
PACKAGES = ("jax", "jaxlib", "ml-dtypes", "numpy", "torch")


@cache
def digest(topic: str) -> str:
    """Of the topic's folder, of the shared files, of the versions here, and of the device.

    What is compiled for other devices decides nothing of what the pairs compute.
    """
    places = [ROOT / place for place in (*SHARED, f"jaxvstorch/examples/{topic}")]
    files = sorted(
        file
        for place in places
        for file in (place.rglob("*.py") if place.is_dir() else [place])
        if file.name != "elsewhere.py"
    )
    versions = [version(package).partition("+")[0] for package in PACKAGES]
    versions.append("{}.{}".format(*sys.version_info))
    device = "gpu" if torch.cuda.is_available() else "cpu"
    found = hashlib.sha256(" ".join([*versions, device]).encode())
    for file in files:
        found.update(f"\n{file.relative_to(ROOT).as_posix()}\n".encode() + file.read_bytes())
    return found.hexdigest()[:16]


@cache
def recorded() -> dict[str, str]:
    """The digests of the last matrix, by topic."""
    found: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return found


def is_proven(topic: str) -> bool:
    """Whether the topic is as it was when the matrix last ran on it."""
    return recorded().get(topic) == digest(topic)


def record(chosen: list[str]) -> None:
    """Write that these topics are proven; what is recorded of others stays."""
    known = recorded() | {topic: digest(topic) for topic in chosen}
    found = {topic: known[topic] for topic in topics() if topic in known}
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if unknown := set(sys.argv[1:]) - set(topics()):
        sys.exit(f"no such topic: {', '.join(unknown)}; there are {', '.join(topics())}")
    if compiler.find(os.environ) is None:
        sys.exit("nothing is proven without a C++ compiler: the tests of Inductor were skipped")
    record(sys.argv[1:] or topics())
