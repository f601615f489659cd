"""Settings that change what is measured and what fits: caches, memory, threads."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from jaxvstorch._doctor import temporary
from jaxvstorch._doctor.check import Check
from jaxvstorch._doctor.devices import Answer

_FALSE = ("false", "False", "0")  # what JAX reads as no; anything else is yes


def check_caches(answers: Mapping[str, Answer], environ: Mapping[str, str]) -> list[Check]:
    """Where compiled programs are kept between runs."""
    checks = []
    if "jax" in answers:
        name, folder = "JAX_COMPILATION_CACHE_DIR", answers["jax"].facts.get("cache")
        if folder is None or "://" in folder:  # none, or storage elsewhere
            checks.append(Check("caches", name, folder or "not set: nothing is kept"))
        else:
            checks.append(_check_folder(name, folder, folder))
    if "torch" in answers:
        name, default = "TORCHINDUCTOR_CACHE_DIR", temporary.default()
        shown = environ.get(name, f"not set: a folder in {default}")
        checks.append(_check_folder(name, shown, environ.get(name, default)))
    return checks


def _check_folder(name: str, shown: str, folder: str) -> Check:
    """Whether files can be made in a folder, or the folder itself where it is not there yet."""
    path = Path(folder).absolute()
    nearest = next(parent for parent in (path, *path.parents) if parent.exists())
    problem = temporary.refusal(nearest)
    if problem is None:
        return Check("caches", name, shown)
    cure = f'export {name}="$HOME/.cache/{name.lower().removesuffix("_cache_dir")}"'
    return Check("caches", name, shown, problem, cure)


def check_memory(environ: Mapping[str, str], shared_gpu: bool) -> list[Check]:
    """How both frameworks take a GPU's memory.

    Args:
        environ: environment variables.
        shared_gpu: whether both frameworks are installed and there is a GPU.
    """
    return [_check_preallocation(environ, shared_gpu), *_check_doubles(environ)]


def _check_preallocation(environ: Mapping[str, str], shared_gpu: bool) -> Check:
    name = "XLA_PYTHON_CLIENT_PREALLOCATE"
    value = environ.get(name, "")
    shown = value or "not set: JAX takes 75 % of a GPU's memory at its first operation"
    cure = f"export {name}=false"
    if value.lower() in ("off", "no", "false") and value not in _FALSE:
        return Check("memory", name, shown, "JAX reads this as true", cure)
    limited = environ.get("XLA_CLIENT_MEM_FRACTION") or environ.get(
        "XLA_PYTHON_CLIENT_MEM_FRACTION"
    )
    if shared_gpu and not limited and value not in _FALSE:
        problem = "JAX leaves PyTorch a quarter of the GPU if one process uses both"
        return Check("memory", name, shown, problem, cure)
    return Check("memory", name, shown)


def _check_doubles(environ: Mapping[str, str]) -> list[Check]:
    """Settings with an old and a new name, of which only one may be used."""
    checks = []
    for new, old in (
        ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"),
        ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"),
    ):
        if new in environ and old in environ and environ[new] != environ[old]:
            both = f"{new}={environ[new]}, {old}={environ[old]}"
            problem = "the newer name and the older one are set to different values"
            checks.append(Check("memory", new, both, problem, f"unset {old}"))
        else:
            name = old if old in environ else new
            checks.append(Check("memory", name, environ.get(name, "not set")))
    return checks


def check_threads(answers: Mapping[str, Answer], environ: Mapping[str, str]) -> list[Check]:
    """How many cores there are to use, and how many threads PyTorch starts for them."""
    cores = usable_cores()
    checks = [Check("threads", "usable cores", f"{cores} of {os.cpu_count()}")]
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        value = environ.get(name, "not set")
        valid = value == "not set" or re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", value)
        problem = None if valid else "this is not a number of threads"
        cure = None if valid else f"export {name}={cores}"
        checks.append(Check("threads", name, value, problem, cure))
    threads = answers["torch"].facts.get("threads") if "torch" in answers else None
    if threads:
        many = threads > cores
        problem = f"{threads} threads share {cores} usable cores" if many else None
        cure = f"export OMP_NUM_THREADS={cores}" if many else None
        checks.append(Check("threads", "PyTorch's threads", str(threads), problem, cure))
    return checks


def usable_cores(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """The cores that this process may use: by affinity, and by a container's quota.

    A fraction of a core does not count: with one more thread for it, all threads would use up the
    quota early, and stop for the rest of each period.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        quota, period = map(int, (cgroup / "cpu.max").read_text().split())
    except (OSError, ValueError):  # no such file, or "max": no quota
        return allowed or 1
    return min(allowed or 1, max(1, quota // period))
