"""What a result depends on besides the code: machine, versions, threads, settings."""

import contextlib
import ctypes
import gc
import importlib
import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jaxvstorch._doctor.devices import ask_all, nvidia_gpu
from jaxvstorch._doctor.settings import usable_cores
from jaxvstorch._frameworks import FRAMEWORKS

CPUINFO = Path("/proc/cpuinfo")
STAT = Path("/proc/stat")
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_ENDING = 3.0  # seconds that a process may take to end
# How many times as long as that loop a quick session took, and some more: 6.5 minutes on an idle
# machine of two cores (AMD EPYC, family 25, model 17; jax 0.10.2, torch 2.13.0; 2026-11-27).
QUICK = 2_000
CORES = usable_cores()
# Set in every process of a session, before a framework is imported.
ENVIRONMENT = {
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "JAX_ENABLE_COMPILATION_CACHE": "false",
    "JAX_DEFAULT_MATMUL_PRECISION": "highest",
    "OMP_NUM_THREADS": str(CORES),
    "OPENBLAS_NUM_THREADS": str(CORES),
    # Where TORCH_COMPILE_JOB_ID is set, PyTorch would keep a first session's shapes on disk, and a
    # later session's code would be general.
    "TORCH_DYNAMO_AUTOMATIC_DYNAMIC_LOCAL_PGO": "0",
    "NPROC": str(CORES),  # JAX's threads; by itself it would not see a container's quota
}

# How many arrays a GPU has to hold at once, and the bytes of each of their numbers.
_ARRAYS = 64  # that fit at once: inputs in turn, results, what a chain of operations holds
_ITEM = 4  # bytes of a float32
_QUERY = ("--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")


def adopt_orphans() -> None:
    """Make what this program's processes leave running its own children, where Linux has that.

    PyTorch's compiler starts processes that outlive the one that they compile for. Their time is
    counted as this program's only when it has waited for them.
    """
    if STAT.exists():
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def work_of_others() -> float | None:
    """Seconds that cores have worked for other programs; ``None`` where Linux does not say.

    It first waits for the children of this program, which must be about to end.
    """
    if not STAT.exists():
        return None
    end = time.monotonic() + _ENDING
    with contextlib.suppress(ChildProcessError):  # there are none
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
    line = STAT.read_text().splitlines()[0].split()[1:]
    user, nice, system, _idle, _waiting, *more = map(int, line)
    ticks = user + nice + system + sum(more[:3])  # interrupts, and what other machines took
    return ticks / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def quick_minutes() -> float:
    """About how long a quick session takes here and now, by the pace of a loop in Python."""
    start, total = time.perf_counter(), 0
    for number in range(5_000_000):
        total += number * number
    return (time.perf_counter() - start) * QUICK / 60


def describe() -> dict[str, Any]:
    """The machine and its GPUs."""
    return {
        "cpu": cpu_model(),
        "cores": CORES,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        **gpus(),
    }


def cpu_model() -> str:
    """The processor's own name, where the system tells it.

    A virtual machine's name may fit processors of several generations. Without a number in it, the
    numbers of family and model follow: ``"AMD EPYC (family 25, model 17)"``.
    """
    text = CPUINFO.read_text() if CPUINFO.exists() else ""
    entries = dict(re.findall(r"^([\w ]+\w)\s*: *(.+?) *$", text, re.MULTILINE))
    name = entries.get("model name") or platform.processor() or platform.machine()
    if "cpu family" in entries and "model" in entries and not re.search(r"\d", name):
        return f"{name} (family {entries['cpu family']}, model {entries['model']})"
    return name


def gpus() -> dict[str, Any]:
    """The machine's NVIDIA GPUs with their memory, and their driver, as ``nvidia-smi`` says.

    A GPU that shares the processor's memory has none to report: it is ``None`` then.
    """
    command = shutil.which("nvidia-smi")
    answer = command and subprocess.run([command, *_QUERY], capture_output=True, text=True)
    if not answer or answer.returncode:
        return {"driver": None, "gpus": []}
    lines = [[part.strip() for part in line.split(",")] for line in answer.stdout.splitlines()]
    listed = [
        {"name": name, "memory_bytes": int(mib) * 2**20 if mib.isdecimal() else None}
        for name, mib, _ in lines
    ]
    return {"driver": lines[0][2] if lines else None, "gpus": listed}


def gpu_memory(frameworks: Sequence[str]) -> tuple[int, list[str]]:
    """The memory of the GPU that all frameworks use, in bytes, and why one does not use it.

    Returns:
        0 bytes where there is no GPU, where not all use it, or where its memory is not known: sizes
        are then a processor's.
    """
    if not nvidia_gpu(os.environ):
        return 0, []
    answers = ask_all([name for name in frameworks if name in FRAMEWORKS])
    without = [name for name, answer in answers.items() if not answer.facts.get("accelerated")]
    if without:
        why = "there is a GPU that it does not use: `jaxvstorch doctor` says why"
        return 0, [f"{name}: {why}" for name in without]
    if not answers:
        return 0, []
    size = next((gpu["memory_bytes"] for gpu in gpus()["gpus"]), None)
    why = "nvidia-smi does not report how much memory the GPU has: no size that fills it is added"
    return size or 0, [] if size else [why]


def largest_size(gpu_memory: int) -> int:
    """The largest size, a power of ten, of which many arrays fit; 0 where there is no GPU.

    GPUs with about the same memory get the same size, so their results can be compared: 10 million
    up to 16 GB, 100 million from 24 GB on.
    """
    elements = gpu_memory // (_ARRAYS * _ITEM)
    return int(10 ** (len(str(elements)) - 1)) if elements else 0


def slug() -> str:
    """A file name for this machine."""
    words = f"{cpu_model()} {CORES} cores"
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def keep_freed_memory() -> None:
    """Make the C library keep freed memory, as in a process that has freed a large array before.

    glibc gives freed memory of more than 128 KiB back to the system. When a block of up to 32 MiB
    has been freed it keeps twice as much as that from then on. Until then, a call that makes
    several arrays may have to get all their pages anew: sin + cos + x of 262,144 float32 in PyTorch
    took 0.5 ms in some processes and 1.1 to 1.7 ms in others, and 0.4 to 0.7 ms in all of them
    after such a block (torch 2.13.0, 2 cores, 2026-11-22).
    """
    bytearray(2**25 - 2**16)  # freed at once; a block also holds a few bytes about itself


def import_framework(framework: str) -> None:
    """Import a framework and its compiler."""
    modules = {"torch": ("torch._dynamo", "torch._inductor.compile_fx")}
    for module in modules.get(framework, (framework,)):
        importlib.import_module(module)


def hand_nothing_over() -> None:
    """Make JAX compute on the CPU in the calling thread.

    JAX reads this when it starts its CPU client, and not again. It has no environment variable.
    """
    importlib.import_module("jax").config.update("jax_cpu_enable_async_dispatch", False)


def set_threads(framework: str) -> None:
    """As many threads as this process may use cores; the environment sets JAX's and NumPy's."""
    if framework == "torch":
        import torch

        torch.set_num_threads(CORES)


def set_up(framework: str) -> float:
    """Do what a framework does once in each process: start a GPU. Returns the seconds."""
    start = time.perf_counter()
    if framework == "jax":
        import jax

        jax.devices()
    if framework == "torch":
        import torch

        if torch.cuda.is_available():
            torch.cuda.synchronize()
    return time.perf_counter() - start


def clean_up(framework: str) -> None:
    """Drop what a case left behind, so that it does not slow down the next ones.

    JAX keeps every program, and control flow without ``jit`` may compile one on each call. After
    230 cases a process had 2.4 GB, and a call of 5 µs took 2 to 16 % longer than in a new one; with
    this after each case it had 0.9 GB, and the call took as long, within 3 % (jax 0.10.2, 2 cores,
    2026-11-22).
    """
    if framework == "jax":
        import jax

        jax.clear_caches()
        gc.collect()
