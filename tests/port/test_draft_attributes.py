"""Drafts of programs whose objects keep what they train with: modules, optimizers, settings."""

import runpy

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

PROGRAM = """
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.hidden = nn.Linear(3, width)
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.norm(self.hidden(x))))

class Config:
    def __init__(self):
        self.rate, self.clip, self.weight_decay = 0.01, 1.0, 0.1

class Base:
    def __init__(self, model, config):
        self.model = model
        self.config = config

class Trainer(Base):
    def __init__(self, model, config):
        super().__init__(model, config)
        self.target = copy.deepcopy(self.model)
        self.noise = 0.1
        self.criterion = nn.MSELoss()
        decayed = [
            f"{name}.{n}" for name, m in self.model.named_modules() if isinstance(m, nn.Linear)
            for n, _ in m.named_parameters() if n == "weight"
        ]
        groups = [
            {"params": [p for n, p in self.model.named_parameters() if n in decayed],
             "weight_decay": config.weight_decay},
            {"params": [p for n, p in self.model.named_parameters() if n not in decayed],
             "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=self.config.rate)
        self.scaler = torch.amp.GradScaler("cpu", enabled=False)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2, 0.5)

    def step(self, x, y):
        with torch.no_grad():
            y = y + 0.5 * self.target(x) + self.noise * torch.randn_like(y)
        self.optimizer.zero_grad()
        with torch.autocast("cpu", enabled=False):
            self.loss = self.criterion(self.model(x), y)
        self.scaler.scale(self.loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.scaler.step(self.optimizer)
        if self.noise:
            self.scaler.update()
        self.scheduler.step()
        for p, t in zip(self.model.parameters(), self.target.parameters()):
            t.data.copy_(0.9 * t.data + 0.1 * p.data)

    def run(self, data):
        batches = iter(data)
        for _ in range(4):
            x, y = next(batches)
            self.step(x, y)

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 3), torch.randn(64, 1))
trainer = Trainer(Net(8).to(device), Config())
trainer.run(DataLoader(data, batch_size=16, shuffle=True))
print("loss", trainer.loss.item())
"""


@pytest.fixture(scope="module")
def draft(tmp_path_factory, recorded):
    """The file of the program's draft, and the parity of its parts."""
    from jaxvstorch._port.draft.composing import compose
    from jaxvstorch._port.draft.parity import compare_parts

    folder = tmp_path_factory.mktemp("attributes")
    file, path = folder / "program.py", folder / "draft.py"
    file.write_text(PROGRAM)
    recording, _ = recorded(file)
    path.write_text(compose(recording))
    return path, dict(compare_parts(path, path.read_text(), recording))


def test_a_step_of_attributes(draft) -> None:
    path, parity = draft
    assert parity["Net"] == "at parity: values and gradients, in float32 and float64"
    assert parity["train_step"] == (
        "at parity: losses, weights and buffers after 3 steps of torch.optim.AdamW with its 2"
        " groups of weights, in float64"
    )
    source = path.read_text()
    called = "self.model, self.optimizer, x, y, self.config.clip, self.criterion"
    assert f"self.loss = train_step({called})" in source
    assert "def train_step(model, optimizer, x, y, clip, criterion):" in source
    assert "t[...] = 0.9 * t + 0.1 * p" in source
    assert "TODO:" not in source
    assert "torch.manual_seed(0)\n    rngs = nnx.Rngs(0)" in source  # the loader shuffles by it
    assert "scaler" not in source  # float32 has the range
    assert "device" not in source  # JAX computes where it computes


def test_objects_keep_random_numbers(draft, capsys) -> None:
    """An object that draws gets flax's random numbers, and hands them to the class it is of."""
    path, _ = draft
    source = path.read_text()
    assert (
        "def __init__(self, model, config, *, rngs: nnx.Rngs):\n        self.rngs = rngs" in source
    )
    assert "Trainer(Net(8, rngs=rngs), Config(), rngs=rngs)" in source
    runpy.run_path(str(path), run_name="__main__")
    assert 0 < float(capsys.readouterr().out.removeprefix("loss ")) < 2
