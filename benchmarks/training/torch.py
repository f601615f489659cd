"""The steps in PyTorch: a compiled model, and a fused optimizer that changes it in place."""

import json
import tempfile
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from benchmarks.training import GPT, RATE, WEIGHT_DECAY, Step
from jaxvstorch.examples.porting import inputs, settings
from jaxvstorch.examples.porting import torch_module as digits
from jaxvstorch.examples.training import torch_module as gpt
from jaxvstorch.examples.training import weights


def make(name: str) -> Step:
    """A step with a new model."""
    model, train_step, rate = {"gpt_step": _gpt, "classifier_step": _classifier}[name]()
    if torch.cuda.is_available():
        model.cuda()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=rate, weight_decay=WEIGHT_DECAY, fused=True
    )
    compiled = torch.compile(model)

    def call(*batch: Tensor) -> Tensor:
        return train_step(compiled, optimizer, *batch)

    def memory(*batch: Tensor) -> int:
        state = [value for each in optimizer.state.values() for value in each.values()]
        kept = [*model.state_dict().values(), *state, *batch]
        optimizer.zero_grad()  # what a step allocates, its gradients too, is then new
        return sum(int(tensor.nbytes) for tensor in kept) + _allocated(lambda: call(*batch))

    return Step(call, memory)


def _gpt() -> tuple[nn.Module, Callable[..., Tensor], float]:
    model = gpt.GPT(GPT)
    _load(model, weights.to_state(GPT.init(np.random.default_rng(0))))
    return model, gpt.train_step, RATE


def _classifier() -> tuple[nn.Module, Callable[..., Tensor], float]:
    model = digits.DigitsNet()
    params, statistics, _ = inputs.network(64, np.dtype("float32"), np.random.default_rng(0))
    _load(model, params | statistics | {"batch_norm.num_batches_tracked": np.array(0)})
    return model, _step_of_images, settings.RATE


def _step_of_images(model: Any, optimizer: Any, images: Tensor, labels: Tensor) -> Tensor:
    return digits.train_step(model, optimizer, images[:, None], labels)


def _load(model: nn.Module, arrays: dict[str, Any]) -> None:
    model.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})


def _allocated(function: Callable[[], Any]) -> int:
    """The most bytes that the function has allocated at once."""
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        function()
        return torch.cuda.max_memory_allocated() - before
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        function()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run.export_chrome_trace(file.name)
        with open(file.name, encoding="utf-8") as trace:
            events = json.load(trace)["traceEvents"]
    memory = sorted((e for e in events if e["name"] == "[memory]"), key=lambda e: e["ts"])
    return int(max(accumulate(event["args"]["Bytes"] for event in memory), default=0))
