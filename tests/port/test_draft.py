"""Drafts of small programs: their source, and the parity of their parts."""

import subprocess
import sys
from pathlib import Path

import pytest

import jaxvstorch

pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port.draft import recording as recording_module
from jaxvstorch._port.draft.parity import compare_parts
from jaxvstorch._port.draft.recording import FirstCall, Recording

PORTER = recording_module.__file__


def test_only_the_program_s_own_files_are_drafted(tmp_path) -> None:
    program, beside = tmp_path / "a/program.py", tmp_path / "ab/other.py"
    for file in (program, beside):
        file.parent.mkdir()
        file.touch()
    recording = Recording(str(program))
    assert recording.is_program_file(str(program))
    assert not recording.is_program_file(str(beside))
    # This package may lie below the program, as an editable install does.
    assert not Recording(str(Path(jaxvstorch.__file__).parents[1] / "train.py")).is_program_file(
        PORTER
    )


def test_a_draft_that_differs_says_where_and_why(tmp_path) -> None:
    import torch

    def activation(x):
        return torch.nn.functional.gelu(x)

    draft = tmp_path / "draft.py"
    draft.write_text("import jax\n\ndef activation(x):\n    return jax.nn.gelu(x)\n")
    recording = Recording(str(draft))
    recording.first_calls["activation"] = FirstCall(
        "activation", activation, (torch.linspace(-2, 2, 9),), returned=True
    )
    ((_, result),) = compare_parts(draft, draft.read_text(), recording)
    assert result.startswith("not at parity: ")
    assert "they part at test_draft.py:" in result
    assert "and draft.py:4: with approximate='none' in place of approximate='tanh'" in result


def test_a_network_in_a_training_loop(drafted) -> None:
    source, parity = drafted(
        """
        import torch
        from torch import nn

        WIDTH = 2 * 2
        options = dict(width=WIDTH)
        model_of = {}

        class Settings:
            scale = 3.0

        settings = Settings()

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(3, WIDTH)
                self.outer = nn.Linear(2 * WIDTH, 1)

            def forward(self, x):
                x = torch.cat([self.inner(x), torch.ones(x.size(0), WIDTH)], dim=1)
                return self.outer(x.view(*x.shape[:1], -1))

        def loss(output):
            return settings.scale * output.pow(2).mean()

        def train(net, optimizer, x):
            optimizer.zero_grad()
            value = loss(net(x))
            value.backward()
            optimizer.step()

        torch.manual_seed(0)
        net = Net()
        train(net, torch.optim.SGD(net.parameters(), lr=0.1), torch.ones(2, 3))
        """
    )
    assert parity["Net"] == "at parity: values and gradients, in float32 and float64"
    assert parity["loss"] == "at parity: values, in float32 and float64"
    assert parity["train"] == "takes a module: compared through it"
    assert parity["train_step"] == (
        "at parity: losses, weights and buffers after 1 step of torch.optim.SGD, in float64"
    )
    assert "WIDTH = 2 * 2\n" in source
    assert "    settings = Settings()" in source  # the program's run makes it
    assert "jnp.concatenate([self.inner(x), jnp.ones((x.shape[0], WIDTH))], axis=1)" in source
    assert "x.reshape(*x.shape[:1], -1)" in source
    assert "optimizer.update(net, grads)" in source
    assert "nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param)" in source
    assert "TODO: " not in source.partition('"""\n')[2]
    assert "zero_grad" not in source


def test_what_a_replay_cannot_see_is_not_called_unreached(drafted) -> None:
    source, _ = drafted(
        """
        import numpy as np
        import torch

        def made(more=False):
            x = torch.from_numpy(np.ones(3, np.float32))
            x = x + torch.FloatTensor([1.0, 2.0, 3.0])
            return torch.zeros(3) if more else x + 1

        made()
        """
    )
    assert "# NOTE: torch.FloatTensor is not a call that port replays" in source
    assert "# NOTE: torch.zeros was not reached, and is not verified" in source
    assert "from_numpy" not in source


def test_subclassed_layers_and_their_modes(drafted) -> None:
    # From its first call on, `torch.compile` puts a function around `nn.Module.__init__`.
    import torch

    torch.compile(torch.sin, backend="eager")(torch.zeros(1))
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Norm(nn.LayerNorm):
            def forward(self, x):
                return 2 * super().forward(x)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = Norm(3)
                self.batch = nn.BatchNorm1d(3)
                self.drop = nn.Dropout(0.5)
                self.unused = nn.Softmax(dim=1)
                self.act = nn.Tanh()

            def forward(self, x, shift=None):
                if x.is_cuda:
                    x = torch.nn.functional.softmax(x, dim=1)
                    x = x.transpose(-2, -1)
                return self.act(self.drop(self.batch(self.norm(x))))

        torch.manual_seed(0)
        Net()(torch.randn(4, 3))
        """
    )
    assert parity["Net"] == "at parity: values and gradients, in float32 and float64"
    assert parity["Norm"] == "at parity: values and gradients, in float32 and float64"
    assert "class Norm(nnx.LayerNorm)" in source
    assert "self.unused = partial(jax.nn.softmax, axis=1)" in source
    assert 'if jax.default_backend() == "gpu"' in source
    assert "# NOTE: Tensor.transpose was not reached" in source
    assert "x = jnp.swapaxes(x, -2, -1)" in source


def test_what_training_changes(drafted) -> None:
    """Tied weights stay tied, averages run, noise is drawn, and no buffer is trained."""
    source, parity = drafted(
        """
        import inspect

        import torch
        from torch import nn

        def noted(cls):
            inspect.getsourcefile(cls)
            return cls

        @noted
        class Net(nn.Module):
            # what a token is
            def __init__(self, words, width):
                super().__init__()
                self.embed = nn.Embedding(words, width)
                self.norm = nn.BatchNorm1d(width)
                self.register_buffer("shift", torch.arange(float(width)))
                self.gain = nn.Parameter(torch.ones(width))
                self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
                self.drop = nn.Dropout(0.25)
                self.head = nn.Linear(width, words, bias=False)
                self.head.weight = self.embed.weight
                self.apply(self.begin)

            def begin(self, module):
                if isinstance(module, nn.Linear):
                    nn.init.normal_(module.weight, std=0.02)

            def forward(self, i):
                x = self.norm(self.embed(i)) * self.gain + self.shift
                for block in self.blocks:
                    x = self.drop(torch.relu(block(x)))
                return self.head(x + 0.1 * torch.randn_like(x))  # noise

        torch.manual_seed(0)
        net = Net(5, 4)
        criterion = nn.CrossEntropyLoss()
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.05, weight_decay=0.1)
        data = torch.utils.data.TensorDataset(torch.arange(10) % 5, torch.arange(10) % 5)
        for i, target in torch.utils.data.DataLoader(data, batch_size=5):
            optimizer.zero_grad()
            loss = criterion(net(i), target)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
        print(loss.item())
        """
    )
    assert parity["Net"].startswith("at parity: values and gradients, in float32 and float64")
    assert parity["train_step"] == (
        "at parity: losses, weights and buffers after 2 steps of torch.optim.AdamW, "
        "with the same random numbers, in float64"
    )
    assert "# what a token is" in source
    assert "self.head = TiedLinear(self.embed)" in source
    assert "self.shift = Buffer(" in source
    assert "i, target = jnp.asarray(i), jnp.asarray(target)" in source
    marks = [line.strip() for line in source.splitlines() if "# TODO" in line]
    assert marks == ["# TODO: @noted"]


def test_a_program_of_functions(drafted, tmp_path) -> None:
    """Schedules, settings from the command line, and a gradient of its own; the draft runs."""
    source, parity = drafted(
        """
        import argparse

        import torch
        from torch import nn, optim

        class Sign(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, width):
                ctx.save_for_backward(x)
                ctx.width = width
                return x.sign()  # hard

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return g * (x.abs() < ctx.width), None

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 2)

            def forward(self, x):
                return Sign.apply(self.fc(x), 1.0)

        def train(args, model, device, optimizer, data, scheduler):
            model.train()
            for x, y in data:
                x, y = x.to(device), y.to(device)
                optimizer.zero_grad()
                loss = args.scale * nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
            scheduler.step()
            return loss.item()

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--lr", type=float, default=0.5)
            parser.add_argument("--scale", type=float, default=2.0)
            args = parser.parse_args([])
            torch.manual_seed(0)
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            model = Net().to(device)
            optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
            scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
            data = [(torch.ones(4, 3), torch.zeros(4, 2))]
            for _ in range(2):
                train(args, model, device, optimizer, data, scheduler)
            print(round(scheduler.get_last_lr()[0], 5))

        if __name__ == "__main__":
            main()
        """
    )
    assert parity["Net"] == "at parity: values and gradients, in float32 and float64"
    assert parity["train_step"] == (
        "at parity: losses, weights and buffers after 2 steps of torch.optim.SGD, in float64"
    )
    assert "@jax.custom_vjp\ndef Sign(x, width):" in source
    assert "train_step(model, optimizer, x, y, args.scale)" in source
    assert "# TODO" not in source
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "0.005", ran.stderr


def test_a_number_that_a_function_returns(drafted) -> None:
    _, parity = drafted(
        """
        import torch

        def mean(x):
            return x.mean().item()

        mean(torch.tensor([0.1, 0.7, 0.3]))
        """
    )
    assert parity["mean"] == "at parity: values, in float32 and float64"


def test_several_files(drafted, tmp_path) -> None:
    (tmp_path / "library.py").write_text(
        "import torch\n\nSCALE = 3\n\n\ndef scaled(x):\n    return SCALE * x.exp()\n",
        encoding="utf-8",
    )
    source, parity = drafted(
        """
        import torch
        from library import scaled

        def total(x):
            return scaled(x).sum()

        total(torch.ones(3))
        """
    )
    assert source.index("SCALE = 3") < source.index("def scaled") < source.index("def total")
    assert parity["total"] == "at parity: values, in float32 and float64"


def test_bare_names_and_random_globals(drafted) -> None:
    source, parity = drafted(
        """
        import torch
        from torch.nn import Linear, Module

        x = torch.randn(2, 3)
        noise = torch.rand(3)

        class Net(Module):
            def __init__(self):
                super().__init__()
                self.last = Linear(3, 2)

            def forward(self, x):
                assert isinstance(self.last, Linear)
                return self.last(x)

        def shifted(x):
            return x + noise

        shifted(Net()(x) @ torch.ones(2, 3))
        """
    )
    assert "class Net(nnx.Module):" in source
    assert parity["Net"].startswith("at parity"), parity
    assert "    noise = jax.random.uniform(rngs(), (3,))" in source


def test_a_bare_sequence_with_layers_of_einops(drafted) -> None:
    source, parity = drafted(
        """
        import torch
        from einops import rearrange
        from einops.layers.torch import Rearrange
        from torch import nn

        class Heads(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)
                self.places = torch.arange(4.0) / 3
                m = self.norm
                self.f = lambda x: m(x).tanh()

            def forward(self, x, mask=None):
                b, device = x.shape[0], x.device
                y = rearrange(self.linear(x), "b (h d) -> b h d", h=2)
                y = y + torch.ones(b, 1, 1, device=device)
                if mask is not None:
                    y.masked_fill_(mask, 0.0)
                return self.f(rearrange(y, "b h d -> b (h d)") + self.places)

        # TODO: more layers
        model = nn.Sequential(Rearrange("b h w -> b (h w)", h=2), Heads(), nn.Linear(4, 1))
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(2):
            optimizer.zero_grad()
            loss = (model(torch.ones(3, 2, 2)) ** 2).mean()
            loss.backward()
            optimizer.step()
        """
    )
    assert parity["Heads"].startswith("at parity: values and gradients"), parity
    assert parity["train_step"].startswith("at parity: losses, weights"), parity
    assert 'partial(einops.rearrange, pattern="b h w -> b (h w)", h=2)' in source
    assert "    def f(self, x):" in source
    assert "b = x.shape[0]" in source
    assert "y = jnp.where(mask, " in source
    assert "# TODO of the program: more layers" in source


def test_names_of_the_program_s_other_files(drafted, tmp_path) -> None:
    """Settings that it changes, another name for a class, what a star imports, tied embeddings."""
    text = "Such as (the width, or the number of words, or both, or neither, or any other of them)."
    (tmp_path / "parts.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Settings:\n"
        f'    """What can be set.\n\n    {text * 2}\n    """\n\n'
        "    def __init__(self, width):\n        self.width = width\n",
        encoding="utf-8",
    )
    source, parity = drafted(
        """
        from parts import *
        from parts import Settings as S

        class Net(nn.Module):
            def __init__(self, settings):
                super(Net, self).__init__()
                assert settings.width == 4
                settings.width = 5
                self.one, self.two = nn.Embedding(3, 4), nn.Embedding(3, 4)
                self.two.weight = self.one.weight

            def forward(self, i, *sizes):
                return self.one(i) + self.two(i) * torch.ones(*i.shape, 1)

        print(Net(S(4))(torch.tensor([0, 2] * 20)).shape)
        """
    )
    assert parity["Net"].startswith("at parity: values and gradients"), parity
    assert "class Net(nnx.Module):" in source
    assert f"can be set.\n\n    {text * 2}\n" in source
    assert "Net(Settings(4), rngs=rngs)" in source
    assert "self.two.embedding = self.one.embedding" in source


def test_sizes_that_are_unpacked(drafted) -> None:
    source, parity = drafted(
        """
        import torch

        def like(x):
            return torch.ones(*x.shape[:2]) + x.new_zeros(*x.shape)[..., 0]

        like(torch.ones(2, 3, 4))
        """
    )
    assert "jnp.ones(x.shape[:2])" in source
    assert parity["like"].startswith("at parity"), parity
