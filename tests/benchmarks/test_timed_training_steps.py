"""The training steps that are timed: both frameworks make the same ones."""

import importlib

import pytest
from framework_versions import has

from benchmarks import training
from benchmarks.workloads import training_steps

pytest.importorskip("jax")
torch = pytest.importorskip("torch")


@pytest.fixture
def uncompiled(monkeypatch):
    """PyTorch's half in eager mode: what Inductor makes of it is not in question here."""
    monkeypatch.setattr(torch, "compile", lambda model: model)


def make(framework, name):
    return importlib.import_module(f"benchmarks.training.{framework}").make(name)


@pytest.mark.parametrize("name", training.TOPICS)
def test_both_frameworks_lower_the_same_loss(uncompiled, name):
    losses = {}
    for framework in ("jax", "torch"):
        step = make(framework, name)
        batch = training_steps._batch(framework, name, 4)
        losses[framework] = [float(step.call(*batch)) for _ in range(5)]
    assert losses["jax"] == pytest.approx(losses["torch"], rel=1e-4)
    assert losses["jax"][-1] < losses["jax"][0]


@pytest.mark.parametrize("name", training.TOPICS)
def test_a_step_needs_more_than_weights_and_moments(uncompiled, name):
    numbers = {"gpt_step": training.GPT.parameters, "classifier_step": 4_618}[name]
    for framework in ("jax", "torch"):
        step = make(framework, name)
        batch = training_steps._batch(framework, name, 4)
        step.call(*batch)
        assert step.memory(*batch) > 3 * 4 * numbers


@pytest.mark.parametrize("name", training.TOPICS)
def test_operations_are_those_that_pytorch_counts(uncompiled, name):
    from torch.utils.flop_counter import FlopCounterMode

    step, batch = make("torch", name), training_steps._batch("torch", name, 4)
    with FlopCounterMode(display=False) as counter:
        step.call(*batch)
    # Attention has 2 products for each pair of tokens, and 4 on the way back, of 2 operations for
    # each number of a token. PyTorch does not count them on a CPU; from 2.15 on it does, and one
    # more, by which it computes the weights again on the way back.
    gpt = training.GPT
    product = 2 * gpt.layers * 4 * gpt.context**2 * gpt.width if name == "gpt_step" else 0
    counted = 7 if has("torch", "2.15") else 0
    assert counter.get_total_flops() + (6 - counted) * product == training.operations(name, 4)


def test_numpy_and_a_quick_session_have_none():
    assert training_steps.cases("numpy", quick=False) == []
    assert training_steps.cases("jax", quick=True) == []
    names = [str(case) for case in training_steps.cases("jax", quick=False)]
    assert names == ["training.gpt_step-8-jax-compiled", "porting.classifier_step-64-jax-compiled"]


def test_first_calls_are_those_of_a_step(monkeypatch):
    def fresh(address, *calls, compiled, framework, after_another):
        assert after_another
        assert not compiled
        assert calls == tuple(("jax", "classifier_step", n) for n in (0, 64, 96))
        return [9.0, 2.0, 1.0]

    monkeypatch.setattr(training_steps, "fresh_calls", fresh)
    (_, case) = training_steps.cases("jax", quick=False)
    assert case.build().fresh() == [2.0, 1.0]
