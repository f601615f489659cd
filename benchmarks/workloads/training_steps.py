"""One training step of the GPT and of the classifier of digits: forward, backward and AdamW.

Each framework's is written as its users write it. In JAX one compiled program does all of it, in
the memory of the weights and of the optimizer's state. In PyTorch the model is compiled, and a
fused optimizer changes the weights in place.
"""

import importlib
from functools import cache, partial
from typing import Any

from benchmarks import training
from benchmarks.cases import Case, Run, Work
from jaxvstorch import _frameworks
from jaxvstorch._measure import fresh_calls

EXAMPLES = {"gpt_step": (8, 12), "classifier_step": (64, 96)}  # in a batch, and in a new one


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """Both steps, in the frameworks that train."""
    if quick or framework == "numpy":
        return []
    return [
        Case(
            topic, name, EXAMPLES[name][0], framework, "compiled", partial(_build, framework, name)
        )
        for name, topic in training.TOPICS.items()
    ]


def _build(framework: str, name: str) -> Work:
    examples, new = EXAMPLES[name]
    step, batch = _make(framework, name), _batch(framework, name, examples)

    def start() -> Run:
        wait = _frameworks.adapter(framework).wait
        return lambda: wait(step.call(*batch))

    # The first of these calls makes the model, and is none of a step.
    calls = [(framework, name, count) for count in (0, examples, new)]
    first = partial(
        fresh_calls, "benchmarks.workloads.training_steps:call", *calls,
        compiled=False, framework=framework, after_another=True,
    )  # fmt: skip
    return Work(
        start,
        fresh=lambda: first()[1:],
        operations=training.operations(name, examples),
        memory=partial(step.memory, *batch),
        sample=partial(step.call, *batch),
    )


def call(framework: str, name: str, examples: int) -> Any:
    """A step of a model that the first call of a process makes; no step for no examples."""
    step = _make(framework, name)
    return step.call(*_batch(framework, name, examples)) if examples else None


@cache
def _make(framework: str, name: str) -> training.Step:
    module = importlib.import_module(f"benchmarks.training.{framework}")
    step: training.Step = module.make(name)
    return step


@cache
def _batch(framework: str, name: str, examples: int) -> Any:
    adapter = _frameworks.adapter(framework)
    return adapter.to_device(
        tuple(map(adapter.from_numpy, training.batch(name, examples, framework)))
    )
