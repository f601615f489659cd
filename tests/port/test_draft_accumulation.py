"""Drafts of programs that add gradients up over several calls of ``backward``."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.hidden = nn.Linear(3, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))

def train(net, data, parts, limit):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    optimizer.zero_grad()
    for i, (x, y) in enumerate(data):
        loss = nn.functional.mse_loss(net(x), y) / parts
        loss.backward()
        if (i + 1) % parts == 0:
            for group in optimizer.param_groups:
                group["lr"] = 0.1 / (i + 1)
            nn.utils.clip_grad_norm_(net.parameters(), limit)
            optimizer.step()
            optimizer.zero_grad()
    print(loss.item(), optimizer.param_groups[0]["lr"])

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(32, 3), torch.randn(32, 1))
loader = torch.utils.data.DataLoader(data, batch_size=4)
net = Net(8)
train(net, loader, 2, 1.0)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(2)]:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
    opt.step()
    opt.zero_grad()
print(loss.item())
"""


def test_gradients_are_added_up(drafted) -> None:
    source, parity = drafted(PROGRAM)
    end = "after a step with the gradients of 3 calls added up, of torch.optim"
    whole = f"at parity: losses, weights and buffers {end}"
    assert parity["add_gradients"] == f"{whole}.Adam, in float64"
    assert parity["add_gradients_2"] == f"{whole}.SGD, in float64"
    assert "def update_weights(net, optimizer, grads, limit):" in source  # it clips
    loop = source[source.index("def train(") :]
    assert loop.index("grads = None") < loop.index("add_gradients(") < loop.index("update_weights(")
    assert "TODO:" not in source
    rate = 'optimizer.opt_state.hyperparams["learning_rate"]'
    assert f"            {rate}[...] = 0.1 / (i + 1)\n" in source
    assert f"print(loss.item(), {rate}.item())" in source


def test_gradients_begin_before_the_loop(drafted) -> None:
    """So they do where a condition alone, or nothing before the loop, sets them to zero."""
    source, parity = drafted(PROGRAM.replace("    optimizer.zero_grad()\n    for", "    for"))
    assert "    grads = None\n    for" in source
    assert parity["add_gradients"].startswith("at parity")


def test_a_program_with_grads_of_its_own(drafted) -> None:
    program = PROGRAM.replace("loss.", "grads.").replace("loss =", "grads =")
    end = "print(net.out.bias.grad, opt.param_groups[0]['params'], list(net.named_buffers()))"
    source, _ = drafted(f"{program}\n{end}")
    assert "TODO: Module.named_buffers" in source
    assert "TODO: Tensor.backward" in source
    assert "TODO: Tensor.grad" in source  # it would be an AttributeError
    assert "TODO: Optimizer.param_groups" in source


def test_losses_of_a_closure_add_up_in_lists(drafted) -> None:
    """Python's own ``sum`` and ``max`` take arrays; what a loop begins with goes with it."""
    source, parity = drafted(
        """
        import torch

        torch.manual_seed(0)
        net = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            x = torch.randn(3, 2)

            def closure():
                optimizer.zero_grad()
                losses, parts = [], {}
                total = 0
                for k in range(3):
                    with torch.autocast("cpu"):
                        y = net(x)
                    losses.append((y * k).square().mean())
                    parts[k] = losses[k]
                    total += losses[k]
                loss = total + sum(losses) / 3 + max(losses[1], losses[2])
                loss.backward()
                return loss

            loss = optimizer.step(closure)
            print(round(loss.item(), 3))
        """
    )
    assert source.count("# TODO:") == 1
    assert "# TODO: autocast computed what is below in another dtype" in source
    assert "def train_step(net, optimizer, x):" in source
    assert parity["train_step"].startswith("at parity: losses, weights and buffers after 2 steps")
