"""Python, the packages installed beside it, and whether their CUDA libraries fit each other."""

import platform
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

from jaxvstorch._doctor.check import Check
from jaxvstorch._frameworks import FRAMEWORKS, TITLES
from jaxvstorch._frameworks.proven import newer, release

_OF_JAX = ("jaxlib", "flax", "optax")
_INSTALL = "pip install jaxvstorch; for an NVIDIA GPU 'jaxvstorch[cuda13]'"
_CUDA_VERSIONED = re.compile(r"(?:nvidia-.+-cu|jax-cuda)(\d\d)(?:-plugin|-pjrt)?$")


def installed_frameworks() -> list[str]:
    """The frameworks that are installed, whether or not they work."""
    return [name for name in FRAMEWORKS if _version(name) is not None]


def check_versions() -> list[Check]:
    """Python, and each declared dependency against the lowest version that is tested."""
    bounds, there = _lower_bounds(), installed_frameworks()
    python = Check("versions", "Python", f"{platform.python_version()} at {sys.executable}")
    checks = [_check_framework(name, bounds.get(name), there) for name in FRAMEWORKS]
    for name in ("jaxlib", *(name for name in bounds if name not in FRAMEWORKS)):
        if name in _OF_JAX and "jax" not in there:
            absent = _version(name) or "not installed, and not needed without JAX"
            checks.append(Check("versions", name, absent))
        else:
            checks.append(_check_version(name, bounds.get(name)))
    return [python, *checks]


def check_cuda_stacks() -> list[Check]:
    """One environment can hold the CUDA libraries of one CUDA version only."""
    return [_check_stacks((d.name, d.version) for d in metadata.distributions() if d.name)]


def _version(name: str) -> str | None:
    """A package's version; empty for a framework that is there and whose metadata is not."""
    try:
        version: str | None = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = None
    # What lies in the folder that Python was started in is not installed.
    elsewhere = [entry for entry in sys.path if entry not in ("", str(_here()))]
    if version is None and name in FRAMEWORKS and PathFinder.find_spec(name, elsewhere):
        return ""
    return version


def _here() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was deleted
        return None


def _lower_bounds() -> dict[str, str]:
    try:
        requirements = metadata.requires("jaxvstorch") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return {}
    found = (re.match(r"([\w-]+)>=([\d.]+)", text) for text in requirements if "extra" not in text)
    return {match[1].lower(): match[2] for match in found if match}


def _check_framework(name: str, lowest: str | None, there: list[str]) -> Check:
    title = TITLES[name]
    if name in there:
        hiding = _hidden_by(name)
        if hiding is None:
            return _check_version(name, lowest)
        problem = f"{hiding} in this folder hides {title} from programs that are started here"
        return Check("versions", title, _version(name) or "", problem, f"rename {hiding}")
    if not there:
        problem = "neither JAX nor PyTorch is installed, and everything needs one of them"
        return Check("versions", title, "not installed", problem, _INSTALL)
    note = (
        f"without it, its half of the examples does not run, and neither do port, check_parity "
        f"between the frameworks and explain in both. To install it: {_INSTALL}"
    )
    return Check("versions", title, "not installed", note=note)


def _hidden_by(name: str) -> str | None:
    """The file or folder here that Python imports in place of an installed framework."""
    here = _here()
    if here is None:
        return None
    spec = PathFinder.find_spec(name, [str(here)])
    if spec is None or spec.origin is None:  # a folder without an __init__.py hides nothing
        return None
    with suppress(metadata.PackageNotFoundError):
        if Path(str(metadata.distribution(name).locate_file(""))).resolve() == here.resolve():
            return None
    return f"{name}/" if spec.submodule_search_locations else Path(spec.origin).name


def _check_version(name: str, lowest: str | None) -> Check:
    version = _version(name)
    title = TITLES.get(name, name)
    if version is None:
        cure = f"pip install '{name}>={lowest}'" if lowest else f"pip install {name}"
        return Check("versions", title, "not installed", "this package needs it", cure)
    if not version:
        cure = f"pip install --force-reinstall --no-deps '{name}>={lowest}'"
        return Check("versions", title, "installed", "its metadata is missing or empty", cure)
    if lowest and release(version) < release(lowest):
        problem = f"this package is tested with {lowest} and newer"
        return Check("versions", title, version, problem, f"pip install '{name}>={lowest}'")
    words = newer(name) if name in FRAMEWORKS else ""
    return Check("versions", title, f"{version}, {words}" if words else version)


def _check_stacks(distributions: Iterable[tuple[str, str]]) -> Check:
    stacks: dict[int, set[str]] = {}
    for name, version in distributions:
        name = name.lower().replace("_", "-")
        if major := _cuda_major(name, version):
            stacks.setdefault(major, set()).add(name)
    value = ", ".join(f"CUDA {major}" for major in sorted(stacks)) or "none"
    if len(stacks) < 2:
        return Check("versions", "CUDA libraries", value)
    older = " ".join(sorted(stacks[min(stacks)] - {"torch"}))
    return Check(
        "versions",
        "CUDA libraries",
        value,
        "one environment holds the libraries of two CUDA versions, and each framework may load "
        "the other's",
        "in a new environment, pip install 'jaxvstorch[cuda13]'; or where nothing needs the older "
        f"ones, pip uninstall {older}",
    )


def _cuda_major(name: str, version: str) -> int | None:
    """The CUDA version that a distribution belongs to, if it belongs to one."""
    if match := _CUDA_VERSIONED.match(name):
        return int(match[1])
    if name == "torch" and (match := re.search(r"\+cu(\d\d)", version)):
        return int(match[1])
    # From CUDA 13 on these have CUDA's own version number and no suffix.
    if name in ("nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "cuda-toolkit"):
        return release(version)[0] if release(version) else None
    return None
