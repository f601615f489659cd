"""Devices, and why a GPU is not used."""

import pytest

from jaxvstorch._doctor import devices
from jaxvstorch._doctor.devices import Answer

CPU = Answer({"devices": ["cpu"], "accelerated": False, "cuda": None, "threads": 2, "cache": None})

CUDA = Answer({"devices": ["cuda:0"], "accelerated": True, "cuda": "13.0", "threads": 2})


@pytest.mark.parametrize(
    ("framework", "answer", "gpu", "environ", "problem"),
    [
        ("jax", CPU, False, {}, None),
        ("jax", CUDA, True, {}, None),
        ("jax", CPU, True, {}, "there is an NVIDIA GPU, but JAX does not use it"),
        ("jax", CPU, True, {"JAX_PLATFORMS": "cpu"}, None),
        ("torch", CPU, True, {}, "there is an NVIDIA GPU, but PyTorch does not use it"),
        ("torch", Answer({**CPU.facts, "cuda": "13.0"}), True, {}, "it is built for CUDA 13.0"),
    ],
)
def test_a_gpu_that_is_not_used(framework, answer, gpu, environ, problem) -> None:
    (found,) = devices.check({framework: answer}, gpu, environ)
    assert (found.problem or "").startswith(problem or "")
    assert bool(found.problem) == bool(found.cure) == bool(problem)


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_the_frameworks_answer(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    answer = devices.ask(framework)
    assert answer.failure is None
    assert answer.facts["devices"]
