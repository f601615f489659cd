"""Drafts of programs whose steps are taken elsewhere than their gradients, or not at all."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")


def test_an_optimizer_inside_an_object(drafted, tmp_path) -> None:
    """The object sets the rate, and steps; it gets the gradients, which are clipped before."""
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Scheduled:
            def __init__(self, optimizer, rate):
                self._optimizer, self.rate, self.count = optimizer, rate, 0

            def step_and_update_lr(self):
                self.count += 1
                for group in self._optimizer.param_groups:
                    group["lr"] = self.rate / self.count
                self._optimizer.step()

            def zero_grad(self):
                self._optimizer.zero_grad()

        class Trainer:
            def __init__(self, model, optimizer):
                self.model, self.optimizer = model, optimizer

            def fit(self, x):
                self.optimizer.zero_grad()
                loss = self.model(x).square().mean()
                loss.backward()
                self.optimizer.step_and_update_lr()
                return loss.item()

        def train(model, optimizer, batches):
            total = 0
            for x, y in batches:
                optimizer.zero_grad()
                loss = (model(x) - y).square().mean()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step_and_update_lr()
                total += loss.item()
            return total

        torch.manual_seed(0)
        net = nn.Linear(3, 1)
        optimizer = Scheduled(torch.optim.Adam(net.parameters()), 0.1)
        x, y = torch.randn(4, 3), torch.randn(4, 1)
        print(train(net, optimizer, 3 * [(x, y)]) > 0, Trainer(net, optimizer).fit(x) > 0)
        """
    )
    assert "# TODO" not in source
    assert "optax.inject_hyperparams(optax.adam)(" in source
    assert "apply_gradients(model, self._optimizer, grads)" in source
    assert 'self._optimizer.opt_state.hyperparams["learning_rate"][...] =' in source
    assert "optimizer.step_and_update_lr(model=model, grads=grads)" in source
    assert "self.optimizer.step_and_update_lr(model=self.model, grads=grads)" in source
    assert parity["compute_gradients_2"] == (
        "at parity: losses, weights and buffers after 3 steps of torch.optim.Adam, in float64"
    )
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "True True", ran.stderr


def test_gradients_without_a_step(drafted, tmp_path) -> None:
    source, parity = drafted(
        """
        import torch
        from torch import nn

        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        x = torch.randn(5, 3)
        y = net(x)
        loss = y.square().mean()
        loss.backward()
        print(loss.item() > 0)
        """
    )
    assert "loss, grads = compute_gradients(net, x)" in source
    assert "# TODO" not in source
    assert parity["compute_gradients"] == "at parity: losses and gradients in 1 call, in float64"
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "True", ran.stderr


def test_the_sum_of_what_a_mask_selects(drafted) -> None:
    """A compiled step cannot select by a mask, nor make a number of an array."""
    source, parity = drafted(
        """
        import torch
        from torch import nn

        def masked(loss, mask):
            total = loss.masked_select(mask).sum() + loss.masked_select(mask).mean()
            return total, mask.sum().item()

        torch.manual_seed(0)
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        x, mask = torch.randn(4, 3), torch.tensor([[True], [False], [True], [True]])
        loss, count = masked(net(x).square(), mask)
        loss.backward()
        optimizer.step()
        print(count)
        """
    )
    assert "jnp.sum(loss, where=mask) + jnp.mean(loss, where=mask)" in source
    assert ".item()" not in source
    assert parity["train_step"].startswith("at parity")


def test_a_loss_from_results_that_are_kept(drafted) -> None:
    """The mark says what to keep instead, and what to compute again."""
    source, _ = drafted(
        """
        import torch
        from torch import nn
        from torch.distributions import Categorical

        class Policy(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 2)
                self.saved = []

            def forward(self, x):
                return torch.softmax(self.fc(x), dim=1)

        def act(state):
            policy_of = Categorical(policy(state))
            action = policy_of.sample()
            policy.saved.append(policy_of.log_prob(action))
            return action.item()

        def finish():
            losses = []
            for log_prob in policy.saved:
                losses.append(-log_prob)
            loss = torch.cat(losses).sum()
            loss.backward()
            optimizer.step()
            del policy.saved[:]

        torch.manual_seed(0)
        policy = Policy()
        optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
        act(torch.ones(1, 3))
        finish()
        """
    )
    assert "# TODO: policy.saved keeps results whose gradients are taken here" in source
    assert "compute policy_of.log_prob(action) again in the loss function" in source
    assert "Tensor.backward" not in source
