"""Which devices each framework sees. Each is asked in a process of its own.

A framework that crashes, hangs or takes all memory then takes no one with it.
"""

import glob
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from jaxvstorch.doctor.check import Check
from jaxvstorch.frameworks import TITLES

TIMEOUT = 120.0  # seconds

_QUESTIONS = {
    "jax": """
import json, jax
print(json.dumps({
    "devices": [f"{d.platform}:{d.id} ({d.device_kind})" for d in jax.devices()],
    "accelerated": jax.default_backend() != "cpu",
    "cache": jax.config.jax_compilation_cache_dir,
}))
""",
    "torch": """
import json, torch
count = torch.cuda.device_count() if torch.cuda.is_available() else 0
print(json.dumps({
    "devices": [f"cuda:{i} ({torch.cuda.get_device_name(i)})" for i in range(count)] or ["cpu"],
    "accelerated": count > 0,
    "cuda": torch.version.cuda,
    "threads": torch.get_num_threads(),
}))
""",
}


@dataclass(frozen=True)
class Answer:
    """What a framework said of itself.

    Attributes:
        facts: what its question asks for; empty where it failed.
        failure: why it could not answer, ``None`` where it could.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    failure: str | None = None


def nvidia_gpu(environ: Mapping[str, str]) -> bool:
    """Whether an NVIDIA GPU is there to be used, as the kernel says."""
    hidden = environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1")
    return bool(glob.glob("/dev/nvidia[0-9]*")) and not hidden


def ask_all(names: Sequence[str]) -> dict[str, Answer]:
    """The answers of several frameworks, asked at the same time."""
    with ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(ask, names), strict=True))


def ask(framework: str, timeout: float = TIMEOUT) -> Answer:
    """Ask one framework, in a new Python process."""
    command = [sys.executable, "-c", _QUESTIONS[framework]]
    environ = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}  # take no GPU for the asking
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout, env=environ
        )
    except subprocess.TimeoutExpired:
        return Answer(failure=f"it did not answer within {timeout:g} seconds")
    if done.returncode < 0:
        return Answer(failure=f"importing it ended Python with signal {-done.returncode}")
    try:
        return Answer(facts=json.loads(done.stdout.strip().splitlines()[-1]))
    except (IndexError, ValueError):
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        return Answer(failure=last[0].strip() if last else f"it exited with {done.returncode}")


def check(answers: Mapping[str, Answer], gpu: bool, environ: Mapping[str, str]) -> list[Check]:
    """Whether each framework works, and uses the GPU where there is one."""
    return [_check_one(name, answer, gpu, environ) for name, answer in answers.items()]


def _check_one(name: str, answer: Answer, gpu: bool, environ: Mapping[str, str]) -> Check:
    title = TITLES[name]
    if answer.failure:
        cure = f"pip install --force-reinstall {name}, in a new environment if that does not help"
        return Check("devices", title, "does not work", answer.failure, cure)
    value = ", ".join(answer.facts["devices"])
    chosen = "JAX_PLATFORMS" if name == "jax" and environ.get("JAX_PLATFORMS") else None
    if chosen:
        value += f", as {chosen}={environ[chosen]} says"
    if not gpu or chosen or answer.facts["accelerated"]:
        return Check("devices", title, value)
    if name == "torch" and answer.facts["cuda"]:
        return Check(
            "devices",
            title,
            value,
            f"it is built for CUDA {answer.facts['cuda']} and finds no GPU; there is one",
            "compare with the CUDA version that nvidia-smi prints: with an older driver, "
            "in a new environment, pip install 'jaxvstorch[cuda12]'",
        )
    return Check(
        "devices",
        title,
        value,
        "there is an NVIDIA GPU, which it does not use",
        "in a new environment, pip install 'jaxvstorch[cuda13]' (older drivers: [cuda12])",
    )
