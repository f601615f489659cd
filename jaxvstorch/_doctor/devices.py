"""Which devices each framework sees. Each is asked in a process of its own.

A framework that crashes, hangs or takes all memory does not take the doctor with it.
"""

import glob
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from jaxvstorch._doctor.check import Check
from jaxvstorch._frameworks import TITLES
from jaxvstorch._frameworks.limits import HANGING

Environ = Mapping[str, str]

# Valid values of variables that are often set wrongly.
_TAKEN = {
    "JAX_PLATFORMS": "platforms that this machine has, such as cpu",
    "JAX_ENABLE_X64": "0 or 1",
    "XLA_FLAGS": "flags of this version, each as --name=value",
}

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
    """What a framework reported about itself.

    Attributes:
        facts: its answers, by name; empty if it failed.
        failure: why it could not answer, ``None`` where it could.
        variables: of the environment, without which it could answer; see ``blame``.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    failure: str | None = None
    variables: Environ = field(default_factory=dict)


def nvidia_gpu(environ: Mapping[str, str]) -> bool:
    """Whether there is an NVIDIA GPU, according to the kernel."""
    hidden = environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1")
    return bool(glob.glob("/dev/nvidia[0-9]*")) and not hidden


def ask_all(names: Sequence[str]) -> dict[str, Answer]:
    """The answers of several frameworks, asked at the same time."""
    return dict(zip(names, ask_each([(name, os.environ) for name in names]), strict=True))


def ask(framework: str, timeout: float = HANGING) -> Answer:
    """Ask one framework, in a new Python process."""
    (answer,) = ask_each([(framework, os.environ)], timeout)
    return answer


def ask_each(asked: Sequence[tuple[str, Environ]], timeout: float = HANGING) -> list[Answer]:
    """The answers of frameworks with their environment variables, all asked at the same time.

    None of the processes outlives the call: Ctrl-C ends them too.
    """
    with ExitStack() as stack:
        running = []
        for framework, environ in asked:
            process = stack.enter_context(_start(framework, environ))
            stack.callback(process.kill)
            running.append(process)
        return [_answer(process, timeout) for process in running]


def _start(framework: str, environ: Environ) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _QUESTIONS[framework]],  # -P: no torch.py of the reader's
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={
            **environ,
            "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        },  # do not take a GPU's memory only to ask
    )


def _answer(process: subprocess.Popen[str], timeout: float) -> Answer:
    try:
        answer, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        return Answer(failure=f"it did not answer within {timeout:g} seconds")
    try:
        return Answer(facts=json.loads(answer.strip().splitlines()[-1]))
    except (IndexError, ValueError):
        return Answer(failure=last_words(process.returncode, errors))


def check(answers: Mapping[str, Answer], gpu: bool, environ: Mapping[str, str]) -> list[Check]:
    """Whether each framework works, and uses the GPU where there is one."""
    return [_check_one(name, answer, gpu, environ) for name, answer in answers.items()]


def _check_one(name: str, answer: Answer, gpu: bool, environ: Mapping[str, str]) -> Check:
    title = TITLES[name]
    if answer.variables:
        values = ", ".join(f"{name}={value}" for name, value in answer.variables.items())
        problem = f"it does not work with {values}: {answer.failure}"
        return Check("devices", title, "does not work", problem, _unset(answer.variables))
    if answer.failure:
        cure = f"pip install --force-reinstall {name}, in a new environment if that does not help"
        return Check("devices", title, "does not work", answer.failure, cure)
    value = ", ".join(answer.facts["devices"])
    chosen = "JAX_PLATFORMS" if name == "jax" and environ.get("JAX_PLATFORMS") else None
    if chosen:
        value += f", set by {chosen}={environ[chosen]}"
    if not gpu or chosen or answer.facts["accelerated"]:
        return Check("devices", title, value)
    if name == "torch" and answer.facts["cuda"]:
        return Check(
            "devices",
            title,
            value,
            f"it is built for CUDA {answer.facts['cuda']} and finds no GPU, although there is one",
            "compare with the CUDA version that nvidia-smi prints; if the driver is older, "
            "pip install 'jaxvstorch[cuda12]' in a new environment",
        )
    return Check(
        "devices",
        title,
        value,
        f"there is an NVIDIA GPU, but {title} does not use it",
        "in a new environment, pip install 'jaxvstorch[cuda13]' (older drivers: [cuda12])",
    )


def _unset(variables: Environ) -> str:
    known = [f"set {name} to {_TAKEN[name]}" for name in variables if name in _TAKEN]
    return ", or ".join([f"unset {' '.join(variables)}", *known])


_RAISED = re.compile(r"[\w.]+(Error|Exception)(: |$)")  # how the end of a traceback begins
# How XLA begins an error, and one that ends the process: with date, time, thread and place.
_ERROR = re.compile(r"([EF])\d{4} [\d:.]+ +\d+ \S+\] (.+)")


def last_words(status: int, errors: str) -> str:
    """The last error message of a process; for an abort without a message, the signal."""
    lines = [line.strip() for line in errors.splitlines()]
    errors_of_xla = [match.groups() for line in lines if (match := _ERROR.match(line))]
    if any(kind == "F" for kind, _ in errors_of_xla):
        return errors_of_xla[0][1]
    if status < 0:
        return f"importing it ended Python with signal {-status}"
    raised = [line for line in lines if _RAISED.match(line)]
    last = raised or [line for line in lines if line]
    return last[-1] if last else f"it exited with {status}"


# How the variables begin that a framework reads; Python's own and the system's are not among them.
_READ = {
    "jax": ("JAX_", "XLA_", "TF_", "TPU_", "LIBTPU_", "CUDA_", "NPROC"),
    "torch": ("TORCH", "PYTORCH_", "TRITON_", "OMP_", "MKL_", "KMP_", "GOMP_", "CUDA_"),
}


def blame(answers: Mapping[str, Answer], environ: Environ) -> dict[str, Answer]:
    """The answers; each that failed, with the variables without which it works."""
    return {
        name: replace(answer, variables=_guilty(name, environ)) if answer.failure else answer
        for name, answer in answers.items()
    }


def _guilty(framework: str, environ: Environ) -> Environ:
    """The variables that each alone make a framework fail; or all, where they do so together."""
    suspects = {name: environ[name] for name in environ if name.startswith(_READ[framework])}
    rest = {name: value for name, value in environ.items() if name not in suspects}
    if not suspects or ask_each([(framework, rest)])[0].failure:
        return {}
    alone = ask_each([(framework, {**rest, name: suspects[name]}) for name in suspects])
    guilty = [name for name, answer in zip(suspects, alone, strict=True) if answer.failure]
    return {name: suspects[name] for name in guilty or suspects}
