"""A run that can stop after any step and resume as if it had not, in PyTorch.

Each thing that changes while it runs has its own state: the model, the optimizer, the
schedule, the generator that shuffles, the order that it drew, and the generator that drops inputs.
"""
# Tensor.backward has no annotations yet.
# mypy: disable-error-code="no-untyped-call"

from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jaxvstorch.examples.checkpoints import torch as functions
from jaxvstorch.examples.checkpoints.files import latest_complete, require_whole, write_whole

EXAMPLES, BATCH, FEATURES = 24, 8, 4


def data() -> tuple[Tensor, Tensor]:
    """Inputs and targets, the same in every process."""
    x = np.random.default_rng(0).standard_normal((EXAMPLES, FEATURES)).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(x.sum(axis=1))


def rate_after(steps: int) -> float:
    """The learning rate of the step after ``steps`` steps."""
    return float(functions.rate_at(torch.tensor(steps + 1.0)))


class Run:
    """A model, and all that training it changes."""

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)  # of the generator that nn.Dropout draws from
        self.model = nn.Sequential(nn.Dropout(0.5), nn.Linear(FEATURES, 1, bias=False))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1.0)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, rate_after)
        self.generator = torch.Generator().manual_seed(seed)
        self.order = torch.empty(0, dtype=torch.long)  # what is left of the epoch
        self.steps = 0

    def state_dict(self) -> dict[str, Any]:
        """All that the next step depends on: the tensors themselves, not copies."""
        parts = ("model", "optimizer", "schedule")
        return {name: getattr(self, name).state_dict() for name in parts} | {
            "shuffling": self.generator.get_state(),
            "order": self.order,
            "dropout": torch.get_rng_state(),
            "steps": self.steps,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load such a state."""
        for name in ("model", "optimizer", "schedule"):
            getattr(self, name).load_state_dict(state[name])
        self.generator.set_state(state["shuffling"])
        torch.set_rng_state(state["dropout"])
        self.order, self.steps = state["order"], state["steps"]

    def step(self) -> float:
        """Take one step; return the loss before it, without dropout."""
        if not len(self.order):
            self.order = torch.randperm(EXAMPLES, generator=self.generator)
        chosen, self.order = self.order[:BATCH], self.order[BATCH:]
        x, y = (tensor[chosen] for tensor in data())
        with torch.no_grad():
            loss = F.mse_loss(self.model[1](x)[:, 0], y)
        self.optimizer.zero_grad()
        F.mse_loss(self.model(x)[:, 0], y).backward()
        self.optimizer.step()
        self.schedule.step()
        self.steps += 1
        return loss.item()


def advance(run: Run, steps: int) -> list[float]:
    """Take steps; return their losses."""
    return [run.step() for _ in range(steps)]


def save(folder: Path, run: Run) -> Path:
    """Write a checkpoint, under the number of its step."""
    path = folder / f"step_{run.steps:06}.pt"
    return write_whole(path, lambda file: torch.save(run.state_dict(), file))


def load(path: Path) -> Run:
    """Read a checkpoint.

    Raises:
        IncompleteCheckpointError: it is not whole.
    """
    require_whole(path)
    run = Run(0)
    run.load_state_dict(torch.load(path))
    return run


def resume(folder: Path) -> Run:
    """Read the newest complete checkpoint."""
    return load(latest_complete(folder, "step_*.pt"))
