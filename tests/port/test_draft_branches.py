"""Drafts of programs whose branches, values or sparse arrays decide what becomes of a step."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

RECURRENT = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.again = nn.Linear(3, 4), nn.Linear(4, 4)

    def forward(self, x, hidden):
        hidden = torch.tanh(self.first(x) + self.again(hidden))
        return hidden, hidden


torch.manual_seed(0)
net, plain, with_optimizer, lr = Net(), False, False, 0.1
optimizer = torch.optim.SGD(net.parameters(), lr=lr)
batches = torch.randn(4, 5, 3)


def train():
    hidden = torch.zeros(5, 4)
    for x in batches:
        if with_optimizer:
            optimizer.zero_grad()
        else:
            net.zero_grad()
        if plain:
            output = net(x, x)
            output = output[0]
        else:
            hidden = hidden.detach()
            output, hidden = net(x, hidden)
        loss = (output - 1).square().mean()
        loss.backward()
        if with_optimizer:
            optimizer.step()
        else:
            for p in net.parameters():
                p.data.add_(p.grad, alpha=-lr)
        print(round(loss.item(), 4))


train()
"""
EXPERTS = """
import torch
from torch import nn


class Assigned:
    def __init__(self, gates):
        _, order = torch.nonzero(gates).sort(0)
        self.rows = torch.nonzero(gates)[order[:, 1], 0]
        self.sizes = (gates > 0).sum(0).tolist()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(3, 2) for _ in range(2))
        self.gate = nn.Linear(3, 2)

    def forward(self, x):
        gates = torch.relu(self.gate(x))
        assigned = Assigned(gates)
        parts = x[assigned.rows].split(assigned.sizes)
        out = torch.cat([expert(part) for expert, part in zip(self.experts, parts)])
        return torch.zeros_like(gates).index_add(0, assigned.rows, out) + gates


def read(ones):
    places = torch.tensor([[0, 1, 2], [1, 2, 0]])
    graph = torch.sparse_coo_tensor(places, ones, (3, 3), check_invariants=True)
    return torch.diag(ones).to_sparse() @ graph.to_dense()


torch.manual_seed(0)
if torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")
net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(40, 3) @ read(torch.ones(3))
for _ in range(3):
    optimizer.zero_grad()
    loss = net(x).square().mean()
    loss.backward()
    optimizer.step()
    print(loss.item() > 0)
print(net(x).shape[1])
"""


def test_a_step_behind_a_branch_of_settings(drafted) -> None:
    source, parity = drafted(RECURRENT)
    assert "# TODO: " not in source
    assert parity["train_step"].startswith("at parity: losses, weights and buffers after 3 steps")
    assert "loss, hidden = train_step(net, x, hidden, lr)" in source
    assert "# NOTE: the other step, by `with_optimizer`, is not in the draft" in source


def test_a_step_whose_shapes_depend_on_values_is_not_compiled(drafted, tmp_path) -> None:
    """A class beside the model holds them; the order of equal elements, and dense arrays, too."""
    source, parity = drafted(EXPERTS)
    assert "# TODO: " not in source
    for part in ("read", "train_step"):
        assert parity[part].startswith("at parity"), parity
    assert '"""Not compiled: what torch.nonzero gives depends on values."""' in source
    assert "@nnx.jit" not in source
    assert "import torch\n" not in source  # nor the device, which nothing reads
    assert "# NOTE: Tensor.sort gives equal values in JAX's order, and is not verified" in source
    assert "# NOTE: Tensor.to_sparse gives a dense array here" in source
    assert "jnp.zeros((3, 3), ones.dtype).at[tuple(places)].add(" in source
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["True", "True", "True", "2"], ran.stderr


def test_options_that_a_version_of_pytorch_decides(drafted) -> None:
    source, parity = drafted(
        """
        import inspect

        import torch
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 2)

            def forward(self, x):
                return self.fc(x)

            def configure(self, rate, kind):
                fused = "fused" in inspect.signature(torch.optim.AdamW).parameters
                options = dict(fused=True) if fused and kind == "cuda" else dict(eps=1e-3)
                return torch.optim.AdamW(self.parameters(), lr=rate, **options)


        net = Net()
        optimizer = net.configure(0.1, "cpu")
        x = torch.randn(5, 3)
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
        """
    )
    assert "# TODO: " not in source
    assert "        fused = True\n" in source
    assert 'optax.adamw(rate, 0.9, 0.999, options["eps"], weight_decay=0.01)' in source
    assert parity["train_step"].startswith("at parity: losses, weights and buffers after 3 steps")
