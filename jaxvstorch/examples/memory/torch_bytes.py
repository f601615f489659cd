"""The bytes that PyTorch allocates for a call on a CPU."""

import json
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

Function = Callable[..., Any]


def allocated(function: Function, *arguments: Any) -> tuple[int, int]:
    """The most bytes that were allocated at once, and those that remain while the result does."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        result = function(*arguments)
    del result  # alive until the profiler has stopped
    with TemporaryDirectory() as folder:
        trace = Path(folder, "trace.json")
        run.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    memory = [event for event in events if event["name"] == "[memory]"]
    sizes = [e["args"]["Bytes"] for e in sorted(memory, key=lambda e: e["ts"])]
    return max(accumulate(sizes), default=0), sum(sizes)


def slope(function: Function, *arguments: torch.Tensor) -> Function:
    """A call without arguments that returns the gradient of a function's sum."""
    own = [x.requires_grad_() for x in arguments]
    return lambda: torch.autograd.grad(function(*own).sum(), own)
