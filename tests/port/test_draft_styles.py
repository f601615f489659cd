"""Drafts in another style than NNX: whole programs, run and compared, with their test files."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("equinox", reason="Equinox is not installed")

from jaxvstorch._port.draft.composing import compose
from jaxvstorch._port.draft.parity import compare_parts
from jaxvstorch._port.draft.styles import CannotWriteError
from jaxvstorch._port.draft.writing_tests import write_tests

AT_PARITY = "at parity: values and gradients, in float32 and float64"
STEPS = "at parity: losses, weights and buffers after 3 steps of torch.optim."
# Runs a draft, and then its test file; what is imported already, pytest does not rewrite.
RUN = """\
import runpy, sys, warnings
import pytest
with warnings.catch_warnings():
    warnings.simplefilter("error")
    runpy.run_path("draft.py", run_name="__main__")
quiet = ["-W", "error", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *quiet, "test_draft.py"]))
"""

NET = """\
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.first = nn.Linear(4, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.body = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.2))
        self.drop = nn.Dropout(0.1)
        self.last = nn.Linear(hidden, 2)

    def forward(self, x):
        x = F.gelu(self.first(x))
        x = x + self.body(self.norm(x))
        return self.last(self.drop(x))

def evaluate(net, x, y):
    net.train(mode=False)
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()

def train(net, optimizer, x, y):
    net.train()
    for i in range(5):
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()

torch.manual_seed(0)
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
x = torch.randn(64, 4)
y = (x.sum(dim=1) > 0).long()
for epoch in range(3):
    train(net, optimizer, x, y)
net.eval()
print(evaluate(net, x, y))
"""

CNN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Block(nn.Module):
    def __init__(self, width, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, stride=stride, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))

class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, stride=2, bias=False)
        self.blocks = nn.Sequential(Block(4), Block(4, stride=2))
        self.head = nn.Linear(4 * 9, 3)

    def forward(self, x):
        return self.head(torch.flatten(self.blocks(self.stem(x)), 1))

def main():
    torch.manual_seed(0)
    model = CNN()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    data = TensorDataset(torch.randn(24, 1, 14, 14), torch.randint(0, 3, (24,)))
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        model.train()
        for images, labels in DataLoader(data, batch_size=8):
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
        scheduler.step()
    model.eval()
    with torch.no_grad():
        print([model(images).argmax(1) for _ in range(2)])

if __name__ == "__main__":
    main()
"""

GPT = """\
import math
import torch
from torch import nn
from torch.nn import functional as F
from dataclasses import dataclass

@dataclass
class Config:
    vocab: int = 12
    width: int = 8
    layers: int = 2

class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.drop = nn.Dropout(0.1)
        self.register_buffer("mask", torch.tril(torch.ones(6, 6)))

    def forward(self, x):
        q, k, v = self.qkv(x).split(x.shape[-1], dim=-1)
        att = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        att = att.masked_fill(self.mask == 0, float("-inf"))
        return self.drop(att.softmax(dim=-1)) @ v

class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab, config.width)
        self.place = nn.Parameter(torch.zeros(6, config.width))
        self.blocks = nn.ModuleList([Attention(config) for _ in range(config.layers)])
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.vocab, bias=False)

    def forward(self, words):
        x = self.embed(words) + self.place
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.norm(x))

torch.manual_seed(0)
model = GPT(Config())
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
text = torch.randint(0, 12, (4, 7))
for step in range(3):
    logits = model(text[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), text[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)
    optimizer.step()
    print(norm.item())
"""

SPEAKER = """\
import torch
from torch import nn
import torch.nn.functional as F

class Speaker(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True)
        self.scale = nn.Parameter(torch.ones(width))
        self.last = nn.Linear(width, words, bias=False)
        self.last.weight = self.embed.weight
        self.width = width

    def scores(self, y):
        return self.last(y * self.scale) / self.width**0.5

    def forward(self, words):
        y, (h, c) = self.lstm(self.embed(words))
        return self.scores(y)

torch.manual_seed(0)
speaker = Speaker(8, 6)
optimizer = torch.optim.Adam(speaker.parameters(), lr=0.01)
words = torch.randint(0, 8, (4, 6))
for step in range(3):
    scores = speaker(words[:, :-1])
    loss = F.cross_entropy(scores.transpose(1, 2), words[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def in_styles(recorded, tmp_path):
    """By style: a draft's source, the parity of its parts, and what it and its tests print."""

    def run(program, *styles):
        file = tmp_path / "program.py"
        file.write_text(program, encoding="utf-8")
        recording, _ = recorded(file)
        drafts = dict[str, tuple[str, dict[str, str], str]]()
        for style in styles:
            (tmp_path / style).mkdir()
            path = tmp_path / style / "draft.py"
            source = compose(recording, style=style)
            path.write_text(source, encoding="utf-8")
            parity = dict(compare_parts(path, source, recording, style))
            assert write_tests(path, recording, parity, style=style) is not None
            command = [sys.executable, "-c", RUN]
            done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True)
            assert done.returncode == 0, (done.stdout + done.stderr)[-1500:]
            drafts[style] = source, parity, done.stdout
        return drafts

    return run


STYLES = ("equinox", "functions")


def test_functions_around_a_model(in_styles) -> None:
    """What changes a model returns it; dropout takes a key, and none in evaluation."""
    drafts = in_styles(NET, *STYLES)
    for source, parity, printed in drafts.values():
        assert parity["Net"] == AT_PARITY
        assert parity["train_step"].startswith(f"{STEPS}AdamW, with the same random numbers")
        assert "nnx" not in source
        assert float(printed.splitlines()[0]) > 0.8
        assert "2 passed" in printed
    source, _, _ = drafts["equinox"]
    assert "    net = eqx.nn.inference_mode(net)\n    print(evaluate(net, x, y))" in source
    assert "net, opt_state = train_step(net, optimizer, opt_state, x, y, key=subkey)" in source
    assert "jnp.argmax(jitted_call(net, x), axis=1)" in source
    source, _, _ = drafts["functions"]
    assert "params, opt_state = train_step(params, optimizer, opt_state, x, y, key=" in source
    assert "jnp.argmax(jax.jit(net)(params, x), axis=1)" in source
    assert "jax.value_and_grad(loss_fn)(params)" in source
    assert "x = x + dropout(" in source
    assert 'linear(params["last"], dropout(x, 0.1, key=keys[1]))' in source


def test_state_of_batch_norm(in_styles) -> None:
    """Running averages come in and go out, through a sequence and a loop over a DataLoader."""
    drafts = in_styles(CNN, *STYLES)
    for _, parity, printed in drafts.values():
        assert parity["CNN"] == AT_PARITY
        assert parity["train_step"].startswith(f"{STEPS}SGD")
        assert " passed" in printed
    source, _, _ = drafts["equinox"]
    assert "class Block(eqx.nn.StatefulLayer):" in source
    assert "state = self.blocks(self.stem(x), state)" in source
    assert "eqx.nn.make_with_state(CNN)(key=" in source
    assert "print([jnp.argmax(jitted_call(model, images, state)[0], axis=1) for" in source
    assert "opt_state = scheduler.step(opt_state)" in source
    source, _, _ = drafts["functions"]
    assert "params, state = split_state(init_cnn(" in source
    assert 'conv(params["conv"], x, stride=stride, padding=1)' in source
    assert "opt_state = scheduler.step(opt_state)" in source


def test_attention_with_a_mask(in_styles) -> None:
    """Layers in a list have keys of their own; a buffer is not trained, nor are settings."""
    drafts = in_styles(GPT, *STYLES)
    for _, parity, printed in drafts.values():
        assert parity["GPT"] == AT_PARITY
        assert parity["Attention"] == AT_PARITY
        assert parity["train_step"].startswith(f"{STEPS}AdamW")
        assert "3 passed" in printed
    source, _, _ = drafts["equinox"]
    keys = "self.blocks = [Attention(config, key=k) for k in jax.random.split("
    assert keys in source
    assert "mask: Buffer" in source
    source, _, _ = drafts["functions"]
    assert '"blocks": [init_attention(k, config) for k in jax.random.split(' in source
    assert 'state["mask"] == 0' in source


def test_recurrent_layers_and_tied_weights(in_styles) -> None:
    """A linear layer with an embedding's rows is a product with them; methods are functions."""
    source, parity, printed = in_styles(SPEAKER, "functions")["functions"]
    assert parity["Speaker"] == AT_PARITY
    assert parity["train_step"].startswith(f"{STEPS}Adam")
    assert '@ params["embed"]["table"].T / width ** 0.5' in source
    assert "2 passed" in printed


@pytest.mark.parametrize("style", STYLES)
def test_what_a_style_has_no_words_for(drafted, style) -> None:
    """A model's weights that a loop writes into: one clear error, and no draft."""
    with pytest.raises(CannotWriteError, match=r"^program\.py:(9: `self.apply|11: `def begin)"):
        drafted(
            """
            import torch
            from torch import nn

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.last = nn.Linear(2, 2)
                    self.apply(self.begin)

                def begin(self, module):
                    if isinstance(module, nn.Linear):
                        nn.init.normal_(module.weight, std=0.02)

                def forward(self, x):
                    return self.last(x)

            Net()(torch.ones(1, 2))
            """,
            style=style,
        )
