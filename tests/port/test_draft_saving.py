"""What a draft does around its training: it evaluates, saves and loads as the program does."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port.draft.composing import compose
from jaxvstorch._port.draft.parity import loaded

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CHECKPOINT = "checkpoint.pt"
WEIGHTS = "weights.pt"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 4), nn.Linear(4, 4)])
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.last(self.drop(self.norm(x)))


def train(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    correct = 0
    for x, y in loader:
        correct += model(x).argmax(dim=1).eq(y).sum().item()
    return correct / len(loader.dataset)


def evaluate(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            output = model(x)
            total += nn.functional.cross_entropy(output, y, reduction="sum").item()
    return total


def save_checkpoint(model, optimizer, scheduler, epoch, path):
    state = {
        "epoch": epoch,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
    }
    torch.save(state, path)


def load_checkpoint(model, optimizer, scheduler, path):
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    return checkpoint["epoch"]


def made():
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    return model, optimizer, scheduler


def main():
    torch.manual_seed(0)
    x = torch.randn(20, 3)
    loader = DataLoader(TensorDataset(x, (x.sum(dim=1) > 0).long()), batch_size=8)
    model, optimizer, scheduler = made()
    train(model, loader, optimizer)
    scheduler.step()
    save_checkpoint(model, optimizer, scheduler, 1, CHECKPOINT)
    torch.save(model.state_dict(), WEIGHTS)
    before = evaluate(model, loader), accuracy(model, loader)
    model, optimizer, scheduler = made()
    model.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    same = before == (evaluate(model, loader), accuracy(model, loader))
    epoch = load_checkpoint(model, optimizer, scheduler, CHECKPOINT)
    same = same and before == (evaluate(model, loader), accuracy(model, loader))
    scheduler.step()
    print(same, epoch, round(scheduler.get_last_lr()[0], 6))
    return model, loader


if __name__ == "__main__":
    model, loader = main()
"""


@pytest.fixture(scope="module")
def ported(tmp_path_factory, recorded):
    """The folder of a program and its draft, and the program's own names after it ran."""
    folder = tmp_path_factory.mktemp("ported")
    file = folder / "program.py"
    ran, drafted = str(folder / "ran_"), str(folder / "drafted_")
    file.write_text(
        PROGRAM.replace('= "checkpoint', f'= "{ran}').replace('= "weights', f'= "{ran}w')
    )
    recording, names = recorded(file)
    source = compose(recording).replace(ran, drafted)
    (folder / "draft.py").write_text(source)
    return folder, source, names


def test_a_checkpoint_is_saved_and_loaded(ported) -> None:
    folder, source, _ = ported
    assert "load_state_dict(model, load_arrays(WEIGHTS))" in source
    assert 'scheduler.count = checkpoint["scheduler"]' in source
    assert "TODO: " not in source.partition('"""\n')[2]
    (folder / "drafted_.pt").write_text("of PyTorch")  # as the program writes it
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["True", "1", "0.025"], ran.stderr
    assert (folder / "drafted_.pt").read_text() == "of PyTorch"


def test_an_evaluation_is_that_of_pytorch_and_compiled(ported) -> None:
    from flax import nnx

    folder, source, names = ported
    assert "output = jitted_call(model, x)" in source
    draft, model, loader = loaded(folder / "draft.py"), names["model"], names["loader"]
    net = draft.from_torch(draft.Net(rngs=nnx.Rngs(0)), model.state_dict())
    assert draft.accuracy(net, loader) == names["accuracy"](model, loader)
    expected = names["evaluate"](model, loader)
    assert draft.evaluate(net, loader) == pytest.approx(expected, rel=1e-5)


def test_a_log_and_a_module_saved_as_a_whole(drafted, tmp_path, monkeypatch) -> None:
    """TensorBoard's writer stays, and gets NumPy arrays; of a module its weights are saved."""
    import types

    class Writer:
        add_scalar = print

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(
        sys.modules, "torch.utils.tensorboard", types.SimpleNamespace(SummaryWriter=Writer)
    )
    source, _ = drafted(
        """
        import torch
        from torch import nn
        from torch.utils.tensorboard import SummaryWriter

        net, writer = nn.Linear(3, 1), None
        writer = SummaryWriter()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = net(torch.ones(1, 3)).sum()
        loss.backward()
        optimizer.step()
        writer.add_scalar("loss", loss, 1)
        torch.save(net, "net.pt")
        net = torch.load("net.pt", weights_only=False)
        """
    )
    assert 'writer.add_scalar("loss", jax.device_get(loss), 1)' in source
    assert "from torch.utils.tensorboard import SummaryWriter" in source
    assert 'save_arrays(state_dict(net), "net.pt")' in source
    assert source.count("# TODO: ") == 1
    assert "# TODO: what is saved of a module is its weights" in source
