"""Drafts of what a program does around its steps: right, or marked."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")


def test_what_a_program_does_around_its_steps(drafted, tmp_path) -> None:
    """Gradients that add up, changed settings, what reads the module between, and its weights."""
    source, parity = drafted(
        """
        import torch
        from torch import nn


        class Ema:
            def __init__(self):
                self.values = {}

            def state_dict(self):
                return self.values


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 4)
                self.head = nn.Linear(4, 2)

            def forward(self, x):
                return self.head(torch.relu(self.body(x)))


        torch.manual_seed(0)
        net = Net()
        ema = Ema()
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        x, y = torch.randn(5, 3), torch.randn(5, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scale = 1.0
        power = 2
        for _ in range(3):
            loss = scale * (net(x) - y).abs().pow(power).mean()
            loss.backward()
            optimizer.step()
            scale = scale * 0.5
            power += 1
        print(round(loss.item(), 5))
        print(ema.state_dict(), scaler.state_dict())
        for _ in range(3):
            optimizer.zero_grad()
            output = net(x)
            loss = (output - y).square().mean()
            loss.backward()
            before = net(x).sum().item()
            optimizer.step()
        print(round(before, 5), round(output.sum().item(), 5))
        for _ in range(3):
            optimizer.zero_grad()
            output = net(x)
            loss = (output - y).square().mean()
            loss.backward()
            worse = (net(x + 1) - output).sum().item()
            optimizer.step()


        def noisy(x):
            return x + torch.randn(5, 3)


        noisy(x)
        net.head.weight.data.mul_(2.0)
        print(net.body.weight.norm().item() > 0, net.head.weight.shape)
        """
    )
    assert source.count("# TODO: ") == 4
    assert "# TODO: in the program the gradients of earlier steps add up" in source
    assert parity["train_step"].startswith("not at parity")  # PyTorch's add up
    assert "train_step(net, optimizer, x, y, scale, power)\n        scale = scale * 0.5" in source
    assert 'static_argnames=("power",)' in source
    assert "# TODO: state_dict of torch.amp" in source
    assert "ema.state_dict()" in source  # the program's own
    between = "before = jnp.sum(net(x)).item()\n        loss, output = train_step_2("
    assert between in source  # the second loop's output is read after it
    assert "# TODO: what comes after train_step_3 came before the step" in source
    assert "net.head.kernel[...] = (net.head.kernel[...].T * 2.0).T" in source
    assert "net.head.kernel[...].T.shape" in source
    for part in ("noisy", "train_step_2", "train_step_3"):
        assert parity[part].startswith("at parity")
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines()[-1] == "True (2, 4)", ran.stderr


def test_a_file_of_pytorch_is_for_from_torch(tmp_path) -> None:
    import torch

    from jaxvstorch._port.draft.own_functions import load_arrays

    torch.save({"a": torch.ones(1)}, tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"with torch\.load, and copy its weights with from_torch"):
        load_arrays(tmp_path / "a.pt")
