"""The GPU that a session fills: whether every framework computes on one, and how large it is."""

import os
from collections.abc import Sequence

from benchmarks import machine
from jaxvstorch._doctor.devices import ask_all, nvidia_gpu
from jaxvstorch._frameworks import FRAMEWORKS

_ARRAYS = 64  # that fit at once: inputs in turn, results, what a chain of operations holds
_ITEM = 4  # bytes of a float32


def memory(frameworks: Sequence[str]) -> tuple[int, list[str]]:
    """The bytes of the GPU that all of the frameworks use, and what keeps one from using it.

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
    size = next((gpu["memory_bytes"] for gpu in machine.gpus()["gpus"]), None)
    why = "nvidia-smi does not say how much memory the GPU has: no size is added that fills it"
    return size or 0, [] if size else [why]


def largest_size(gpu_memory: int) -> int:
    """The largest power of ten of numbers of which many arrays fit; 0 where there is no GPU.

    GPUs of about one size so get one size, at which their results can be compared: 10 million up
    to 16 GB, 100 million from 24 GB on.
    """
    elements = gpu_memory // (_ARRAYS * _ITEM)
    return int(10 ** (len(str(elements)) - 1)) if elements else 0
