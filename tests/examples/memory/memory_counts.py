"""Bytes: what a compiled JAX program needs, and what PyTorch allocated and keeps."""

import json
import tempfile
from pathlib import Path
from typing import Any


def shapes(jax, *found) -> list[Any]:
    """Arguments without values, of float32."""
    return [jax.ShapeDtypeStruct(shape, jax.numpy.float32) for shape in found]


def analysis(jax, function, *arguments, **options) -> Any:
    return jax.jit(function, **options).lower(*arguments).compile().memory_analysis()


def temporary(jax, function, *arguments) -> int:
    """Bytes that a program needs besides its arguments and results."""
    return analysis(jax, function, *arguments).temp_size_in_bytes


def gradient(jax, function, count):
    """The gradient of the sum of a function's result in its first arguments."""
    return jax.grad(lambda *arguments: function(*arguments).sum(), argnums=tuple(range(count)))


def allocated(torch, function, *arguments) -> tuple[int, int]:
    """The most bytes that were allocated at once during a call, and those left after it."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as run:
        result = function(*arguments)  # noqa: F841  it lives until the end
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        run.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    memory = [event for event in events if event["name"] == "[memory]"]
    now = most = 0
    for event in sorted(memory, key=lambda event: event["ts"]):
        now += event["args"]["Bytes"]
        most = max(most, now)
    return most, now


def torch_gradient(torch, function, *arguments):
    """A function without arguments that computes the gradient in all of them."""
    own = [argument.detach().requires_grad_() for argument in arguments]
    return lambda: torch.autograd.grad(function(*own).sum(), own)
