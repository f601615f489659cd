"""Drafts of training loops: their steps, and the parity of these."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")


def test_groups_of_weights(drafted, tmp_path) -> None:
    """A comprehension makes groups in a method; others are written where they are used."""
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 4)
                self.head = nn.Linear(4, 2)

            def forward(self, x):
                return self.head(torch.relu(self.body(x)))

            def configure_optimizers(self, weight_decay, learning_rate):
                params = {n: p for n, p in self.named_parameters() if p.requires_grad}
                decay = [p for n, p in params.items() if p.dim() >= 2]
                no_decay = [p for n, p in params.items() if p.dim() < 2]
                groups = [
                    {"params": decay, "weight_decay": weight_decay},
                    {"params": no_decay, "weight_decay": 0.0},
                ]
                return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.95))

        torch.manual_seed(0)
        net = Net()
        adam = net.configure_optimizers(0.5, 0.1)
        parts = [{"params": net.body.parameters(), "lr": 0.2}, {"params": net.head.parameters()}]
        sgd = torch.optim.SGD(parts, lr=0.1)
        x = torch.randn(5, 3)
        for _ in range(2):
            adam.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            adam.step()
            net.zero_grad()
            loss = net(x).abs().mean()
            loss.backward()
            sgd.step()
        print("done")
        """
    )
    assert "lambda weight_decay: optax.adamw(" in source
    assert "lambda lr=0.1: optax.sgd(lr)" in source
    assert "isinstance(p, nnx.Param)" in source
    assert "# TODO" not in source
    for step, optimizer in (("train_step", "AdamW"), ("train_step_2", "SGD")):
        assert parity[step] == (
            f"at parity: losses, weights and buffers after 2 steps of torch.optim.{optimizer} "
            "with its 2 groups of weights, in float64"
        )
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "done", ran.stderr


def test_frozen_weights(drafted, tmp_path) -> None:
    """They get no gradient, whether the optimizer has them or not; the norm is of the others."""
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 4)
                self.middle = nn.Linear(4, 4)
                self.head = nn.Linear(4, 2)

            def forward(self, x):
                return self.head(torch.relu(self.middle(self.body(x))))

        torch.manual_seed(0)
        net = Net()
        net.body.requires_grad_(False)
        for p in net.middle.parameters():
            p.requires_grad = False
        adam = torch.optim.AdamW(net.parameters(), lr=0.1)
        sgd = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
        x = torch.randn(5, 3)
        before = net.middle.weight.sum().item(), net.head.weight.sum().item()
        for _ in range(2):
            adam.zero_grad()
            loss = net(x).square().sum()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            adam.step()
            net.zero_grad()
            loss = net(x).abs().mean()
            loss.backward()
            sgd.step()
        after = net.middle.weight.sum().item(), net.head.weight.sum().item()
        print(before[0] == after[0], before[1] == after[1])
        """
    )
    assert "set_trainable(net.body, False)" in source
    assert "set_trainable(p, False)" in source
    assert "optax.sgd(0.1), wrt=trainable)" in source
    assert "# TODO" not in source
    for step in ("train_step", "train_step_2"):
        assert parity[step].startswith("at parity: losses, weights and buffers after 2 steps")
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "True False", ran.stderr


def test_two_optimizers_and_three_losses(drafted, tmp_path) -> None:
    """Two losses of one step add up, and another step goes through what the first computed."""
    source, parity = drafted(
        """
        import torch
        from torch import nn, optim

        class Generator(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 4)
                self.norm = nn.BatchNorm1d(4)

            def forward(self, z):
                return torch.tanh(self.norm(self.fc(z)))

        class Discriminator(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 5)
                self.norm = nn.BatchNorm1d(5)
                self.out = nn.Linear(5, 1)

            def forward(self, x):
                return torch.sigmoid(self.out(torch.relu(self.norm(self.fc(x))))).squeeze(1)

        torch.manual_seed(0)
        netG, netD = Generator(), Discriminator()
        criterion = nn.BCELoss()
        optimizerD = optim.Adam(netD.parameters(), lr=0.01, betas=(0.5, 0.999))
        optimizerG = optim.Adam(netG.parameters(), lr=0.01, betas=(0.5, 0.999))
        for i in range(3):
            netD.zero_grad()
            real = torch.randn(6, 4) + i
            label = torch.full((6,), 1.0)
            output = netD(real)
            errD_real = criterion(output, label)
            errD_real.backward()
            D_x = output.mean().item()

            noise = torch.randn(6, 3)
            fake = netG(noise)
            label.fill_(0)
            output = netD(fake.detach())
            errD_fake = criterion(output, label)
            errD_fake.backward()
            D_G_z1 = output.mean().item()
            errD = errD_real + errD_fake
            optimizerD.step()

            netG.zero_grad()
            label.fill_(1)  # fake labels are real for generator cost
            output = netD(fake)
            errG = criterion(output, label)
            errG.backward()
            D_G_z2 = output.mean().item()
            optimizerG.step()
            print("%.4f" % D_x, errD.item() > 0, D_G_z1 > 0, errG.item() > 0, D_G_z2 > 0)
        """
    )
    assert "loss = errD_real + errD_fake\n" in source
    assert "fake = nnx.clone(netG)(noise)" in source  # its averages run once, in the other step
    assert "train_step_netG(netG, netD, optimizerG, noise, label)" in source
    assert "# TODO" not in source
    after = "at parity: losses, weights and buffers after 3 steps of torch.optim.Adam"
    assert parity["train_step_netG"].startswith(after)
    assert parity["train_step_netD"].startswith(after)
    assert parity["train_step_netD"].endswith("netG is compared in the step that trains it")
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.count("True True True True") == 3, ran.stderr


def test_weights_changed_by_hand(drafted, tmp_path) -> None:
    """Below ``no_grad`` and by ``data``, with a rate that changes and a state that is handed on."""
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(3, 3)

            def forward(self, x, state):
                state = torch.tanh(self.inner(x) + state)
                return state.mean(1), state

        def train(net, x, y, state, lr):
            net.zero_grad()
            output, state = net(x, state.detach())
            loss = nn.functional.mse_loss(output, y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.25)
            for p in net.parameters():
                p.data.add_(p.grad, alpha=-lr)
            return state

        torch.manual_seed(0)
        net, state = Net(), torch.zeros(4, 3)
        x, y, lr = torch.randn(4, 3), torch.randn(4), 0.5
        for _ in range(3):
            state = train(net, x, y, state, lr)
            lr = lr / 2
            loss = net(x, state.detach())[0].square().mean()
            net.zero_grad()
            loss.backward()
            with torch.no_grad():
                for p in net.parameters():
                    p -= lr * p.grad
        print("done")
        """
    )
    assert "jax.tree.map(lambda p, g: p - lr * g, params, grads)" in source
    assert "train_step_2(net, x, state, lr)" in source  # train() is no part of its loss
    assert "# TODO" not in source
    for step in ("train_step", "train_step_2"):
        assert parity[step] == (
            "at parity: losses, weights and buffers after 3 steps by hand, in float64"
        )
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "done", ran.stderr


def test_distributions(drafted, tmp_path) -> None:
    """Draws take keys; densities, entropies and divergences are at parity with their gradients."""
    source, parity = drafted(
        """
        import torch
        from torch import nn
        from torch.distributions import Categorical, Normal, kl_divergence

        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.choice = nn.Linear(3, 4)
                self.loc = nn.Linear(3, 2)

            def forward(self, x, action):
                policy = Categorical(torch.softmax(self.choice(x), 1))
                other = torch.distributions.Categorical(logits=self.choice(x) ** 2)
                normal = Normal(self.loc(x), 0.5)
                prior = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
                divergence = kl_divergence(policy, other) + kl_divergence(normal, prior).sum(1)
                drawn = normal.rsample()
                density = normal.log_prob(drawn).sum(1) + normal.entropy().sum(1)
                return policy.log_prob(action) + policy.entropy() + divergence + density

        def act(x):
            return Categorical(logits=x).sample((5,))

        torch.manual_seed(0)
        policy = Policy()
        policy(torch.randn(6, 3), torch.arange(6) % 4)
        print(tuple(act(torch.zeros(2, 4)).shape))
        """
    )
    assert parity["Policy"] == "at parity: values and gradients, in float32 and float64"
    assert "drawn = normal.rsample(key=self.rngs())" in source
    assert "Categorical(logits=x).sample((5,), key=rngs())" in source
    assert "import torch" not in source
    assert "from torch." not in source
    assert "# TODO" not in source
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "(5, 2)", ran.stderr


def test_a_bare_layer_is_trained(drafted) -> None:
    """Its weights are carried over, though the program has no module of its own."""
    source, parity = drafted(
        """
        import torch

        torch.manual_seed(0)
        net = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        x, y = torch.randn(8, 3), torch.randn(8, 1)
        for _ in range(3):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
        """
    )
    assert parity["train_step"].startswith("at parity")
    assert "def from_torch(" in source


@pytest.mark.parametrize(
    ("begin", "change", "read"),
    [
        ("betas = iter([0.0] * 4 + [1.0] * 4)", "", "next(betas)"),
        ("import random", "", "random.random()"),
        ("options = {}", "options['beta'] = step", "options['beta']"),
        ("options = [0]", "options[0] = step", "options[0]"),
        ("class options: beta = 0", "options.beta = step", "options.beta"),
    ],
)
def test_a_step_reads_what_python_changes(drafted, begin, change, read) -> None:
    """Such a step runs as Python; a norm that is read comes back, and a mode is no argument."""
    source, parity = drafted(
        """
        import torch
        from torch import nn

        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.0))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        x, total = torch.ones(4, 3), 0.0
        BEGIN
        for step in range(6):
            net.train(step >= 0)
            CHANGE
            loss = (net(x) ** 2).mean() + READ * net(x).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            total += nn.utils.clip_grad_norm_(parameters=net.parameters(), max_norm=0.1).item()
            optimizer.step()
            net.train(mode=False)
            print(loss.item(), total)
        """.replace("BEGIN", begin)
        .replace("CHANGE", change)
        .replace("READ", read)
    )
    assert f'"""Not compiled: {read} gives another value in another step."""' in source
    assert parity["train_step"].startswith(f"cannot be compared: {read} gives another value")
    assert "loss, grad_norm = train_step(net, optimizer, x)" in source
    assert "if step >= 0:\n            net.train()\n        else:\n" in source
    assert "        net.eval()\n        print(" in source


def test_copies_of_weights(drafted) -> None:
    """A target network follows, averages are put in and taken out, groups name single weights."""
    source, parity = drafted(
        """
        import copy
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a = nn.Linear(3, 2)

            def forward(self, x):
                return self.a(x)

        torch.manual_seed(0)
        net, kept, tau = Net(), {}, 0.1
        target = copy.deepcopy(net)
        for p in target.parameters():
            p.requires_grad_(False)
        optimizer = torch.optim.SGD(
            [{"params": [net.a.weight], "lr": 0.2}, {"params": [net.a.bias]}], lr=0.1
        )
        x = torch.ones(4, 3)
        for step in range(3):
            loss = (net(x) - target(x)).square().mean() + net(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for p, tp in zip(net.parameters(), target.parameters()):
                    tp.data.mul_(1 - tau).add_(tau * p.data)
        for name, p in net.named_parameters():
            kept[name] = p.data
            p.data = torch.zeros_like(p)
        for name, p in net.named_parameters():
            p.data = kept[name]
        print(net(x).sum().item())
        """
    )
    assert "# TODO" not in source
    for line in (
        "set_trainable(p, False)",
        "tp[...] = tp * (1 - tau) + tau * p",
        "kept[name] = p[...]",
        "p[...] = kept[name]",
        '{"params": [net.a.kernel], "lr": 0.2}',
    ):
        assert line in source
    assert parity["train_step"].startswith("at parity: losses, weights and buffers after 3 steps")
