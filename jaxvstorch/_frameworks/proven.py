"""The versions of the frameworks that this release was proven with, and a word on newer ones."""

import re
from importlib import metadata

import jaxvstorch
from jaxvstorch._frameworks import TITLES

# The release of each minor version that the tests ran on, the newest last. On PyTorch 2.10 an
# earlier explain was tested; the private parts that it uses now have not run there.
PROVEN = {"jax": ("0.10.2", "0.12.0.1"), "torch": ("2.13.0", "2.14.1", "2.15.0")}


def notes(*frameworks: str) -> list[str]:
    """A sentence on each of these that is installed in a newer minor version than was proven."""
    return [
        f"{TITLES[name]} {metadata.version(name)} is {words}"
        for name in frameworks
        if (words := newer(name))
    ]


def newer(framework: str) -> str:
    """What is said of a newer version; empty if it is none, or the framework is not installed."""
    newest = PROVEN[framework][-1]
    try:
        version = metadata.version(framework)
    except metadata.PackageNotFoundError:
        return ""
    if release(version)[:2] <= release(newest)[:2]:
        return ""
    return (
        f"newer than {newest}, the newest that jaxvstorch {jaxvstorch.__version__} was tested with"
    )


def release(version: str) -> tuple[int, ...]:
    """The release as numbers: ``2.13.0+cpu`` is (2, 13, 0)."""
    numbers = re.match(r"[\d.]*\d", version)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()
