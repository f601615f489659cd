"""Schedules of a draft set the rates that PyTorch's do, wherever the optimizer is made."""

import itertools
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

PROGRAM = """\
import torch
from torch import nn
from torch.optim import lr_scheduler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))

    def make_optimizer(self, speed):
        return torch.optim.SGD(PARAMETERS, lr=speed)


def main():
    net = Net()
    optimizer = OPTIMIZER
    scheduler = lr_scheduler.SCHEDULER
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    for step in range(6):
        print(RATE)
        loss = ((net(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step(STEP)


main()
"""
PLAIN, MADE = "torch.optim.SGD(net.parameters(), lr=0.1)", "net.make_optimizer(0.1)"
WEIGHTS = "self.parameters()"
GROUPS = "[{'params': self.a.parameters(), 'weight_decay': 0.1}, {'params': self.b.parameters()}]"
SEQUENTIAL = (
    "SequentialLR(optimizer, [lr_scheduler.LinearLR(optimizer, 0.1, total_iters=2), "
    "lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)], milestones=[2])"
)


def _rates(text: str) -> np.ndarray:
    return np.array([float(line) for line in text.split()])


@pytest.mark.parametrize(
    ("optimizer", "scheduler", "weights"),
    [
        (MADE, "LambdaLR(optimizer, lambda s: 1 / (s + 2))", WEIGHTS),
        (MADE, "LambdaLR(optimizer, lambda s: 1 / (s + 2))", GROUPS),
        (MADE, "StepLR(optimizer, 2, gamma=0.5)", GROUPS),
        (PLAIN, "LinearLR(optimizer, start_factor=0.5)", WEIGHTS),
        (PLAIN, "OneCycleLR(optimizer, max_lr=0.2, total_steps=7, cycle_momentum=False)", WEIGHTS),
        (PLAIN, "ReduceLROnPlateau(optimizer, patience=1, factor=0.5)", WEIGHTS),
        (PLAIN, SEQUENTIAL, WEIGHTS),
    ],
)
def test_rates_are_those_of_pytorch(
    drafted, tmp_path, capsys, optimizer, scheduler, weights
) -> None:
    program = PROGRAM.replace("PARAMETERS", weights)
    program = program.replace("OPTIMIZER", optimizer).replace("SCHEDULER", scheduler)
    program = program.replace("STEP", "1.0" if "Plateau" in scheduler else "")
    program = program.replace("RATE", "optimizer.param_groups[0]['lr']")
    source, parity = drafted(program)
    expected = _rates(capsys.readouterr().out)
    assert parity["train_step"].startswith("at parity")
    assert "TODO: " not in source.partition('"""\n')[2]
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    np.testing.assert_allclose(_rates(ran.stdout), expected, rtol=1e-6, atol=1e-9)


def test_a_schedule_that_no_draft_has_is_marked_and_the_draft_runs(drafted, tmp_path) -> None:
    program = PROGRAM.replace("PARAMETERS", "self.parameters()").replace("OPTIMIZER", MADE)
    program = program.replace("SCHEDULER", "MultiplicativeLR(optimizer, lambda s: 0.9)")
    source, _ = drafted(program.replace("STEP", "").replace("RATE", "scheduler.get_last_lr()[0]"))
    assert "# TODO: the rate stays in place of torch.optim.lr_scheduler.MultiplicativeLR" in source
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert _rates(ran.stdout) == pytest.approx([0.1] * 6), ran.stderr


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_is_that_of_pytorch(mode, threshold_mode) -> None:
    from jaxvstorch._port.draft.own_training import ReduceLROnPlateau

    settings = {"mode": mode, "threshold_mode": threshold_mode, "factor": 0.5, "patience": 1}
    settings |= {"threshold": 0.1, "cooldown": 1, "min_lr": 0.02}
    in_torch = torch.optim.SGD([torch.nn.Parameter(torch.ones(()))], lr=1.0)
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(in_torch, **settings)
    state = SimpleNamespace(hyperparams={"learning_rate": np.ones(())})
    own = ReduceLROnPlateau(SimpleNamespace(opt_state=state), **settings)
    values = np.random.default_rng(0).normal(size=12).round(2)
    for value in itertools.chain(values, [float("nan"), 3.0, 3.0, -3.0], [0.0] * 12):
        theirs.step(value)
        own.step(value)
        assert own.get_last_lr() == pytest.approx(theirs.get_last_lr())
