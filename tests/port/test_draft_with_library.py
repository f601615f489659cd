"""Drafts of programs whose layers and models are from another package."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

PACKAGE = """
from collections import OrderedDict

import torch
from torch import nn

from smallgraphs.written import propagate


class Settings:
    def __init__(self, width=4, classes=3, unread=None, dropout=0.0):
        self.width, self.classes, self.unread, self.dropout = width, classes, unread, dropout


class Passing(nn.Module):
    def __init__(self, aggregation="sum", **kwargs):
        super().__init__()
        kwargs.setdefault("flow", "down")
        self.hooks = OrderedDict()
        self.names = sorted(kwargs)
        self.names.append(aggregation)  # nothing reads it later
        type(self).propagate = propagate

    def set_size(self, sizes, x):
        if sizes[0] is None:
            sizes[0] = x.shape[0]


class Convolution(Passing):
    def __init__(self, features, out, scale=None):
        super().__init__(flow="up")
        self.fc = nn.Linear(features, out, bias=False)

    def forward(self, x, edges, weights=None):
        edges = edges[:, edges[0] != edges[1]]  # how many are left depends on the values
        return self.propagate(self.fc(x), edges) if weights is None else x


class Unseen(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)


class Model(nn.Module):
    def __init__(self, settings: Settings):
        super().__init__()
        self.settings = settings
        self.first = nn.Linear(settings.width, settings.classes)
        self.drop = nn.Dropout(settings.dropout)

    def forward(self, x, labels=None):
        logits = self.drop(self.first(x))
        loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}

    def sample(self, x):
        return self(x)["logits"].argmax(-1)
"""
WRITTEN = """
import torch
from typing import NamedTuple


class Collected(NamedTuple):
    x: torch.Tensor
    size: int
    more: int


def propagate(self, x, edges):
    for hook in self.hooks.values():
        hook(self)
    sizes = [None]
    self.set_size(sizes, x)
    collected = Collected(x[edges[0]], sizes[0], None)
    out = collected.x.new_zeros(collected.size, x.shape[1])
    return out.index_add(0, edges[1], collected.x)
"""
GRAPH = """
import smallgraphs
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = smallgraphs.Convolution(4, hidden)
        self.last = smallgraphs.Convolution(hidden, out=2)

    def forward(self, x, edges):
        return self.last(torch.relu(self.first(x, edges)), edges)

torch.manual_seed(0)
net = Net(5)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x, edges, y = torch.randn(6, 4), torch.randint(6, (2, 12)), torch.randn(6, 2)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x, edges), y)
    loss.backward()
    optimizer.step()
"""
MODEL = """
import torch
from smallgraphs import Model, Settings

torch.manual_seed(0)
settings = Settings(width=6, unread="here")
model = Model(settings)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, settings.width), torch.randint(settings.classes, (8,))
for _ in range(3):
    optimizer.zero_grad()
    loss = model(x, labels=y)["loss"]
    loss.backward()
    optimizer.step()
print(model.sample(x))
"""


@pytest.fixture
def package(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """A package in another folder than the program's."""
    folder = tmp_path_factory.mktemp("library") / "smallgraphs"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "written.py").write_text(WRITTEN)
    monkeypatch.syspath_prepend(folder.parent)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "smallgraphs"]:
        del sys.modules[name]


def test_layers_of_a_package_are_in_the_draft(package: Path, drafted) -> None:
    source, parity = drafted(GRAPH)
    assert "TODO: " not in source.partition('"""\n')[2]
    assert parity["Net"].startswith("at parity: values and gradients"), parity
    assert parity["train_step"].startswith("at parity: losses, weights and buffers"), parity
    for kept in (
        "with Convolution of smallgraphs, in",
        "class Collected(NamedTuple):",
        "def propagate(self, x, edges):",
        "self.set_size(sizes, x)",
        "self.last = Convolution(hidden, out=2, rngs=rngs)",
        '    """Not compiled: what Tensor.__getitem__ gives depends on values."""',
    ):
        assert kept in source, kept
    own = source[: source.index("# PyTorch's name for each array")]
    for left_out in ("smallgraphs.", "hooks", "names", "setdefault", "@nnx.jit", "more"):
        assert left_out not in own, left_out


def test_settings_that_a_program_makes(package: Path, drafted) -> None:
    source, parity = drafted(MODEL)
    assert parity["Model"].startswith("at parity: values and gradients"), parity
    assert parity["train_step"].startswith("at parity: losses, weights and buffers"), parity
    assert "    settings = Settings(width=6)\n" in source
    assert "    classes: int = 3\n" in source  # the program reads it
    assert "@nnx.jit" in source
    assert "smallgraphs import" not in source
    assert "sample of smallgraphs.Model is not in the draft: only its call is" in source
    assert source.count("TODO: ") == 1 + source.partition('"""\n')[0].count("TODO: ")


def test_a_module_that_is_not_called_is_left_where_it_was(package: Path, drafted) -> None:
    source, _ = drafted("import smallgraphs\nnet = smallgraphs.Unseen(3)\nprint(net.fc.weight)")
    why = "the program's own lines were not seen to call it"
    assert f"smallgraphs.Unseen is a module of another package: {why}" in source
