"""Drafts are as short as the run allows: plain losses, compiled evaluation, comments kept."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

NETWORK = """
import torch
import torch.nn as nn
import torch.nn.functional as F

OPTIONS = {
    # how fast
    "lr": 0.1,  # the rate
    "momentum": 0.9,
}

class Net(nn.Module):
    def __init__(self, act="ReLU"):
        super().__init__()
        self.act = getattr(nn, act)()
        self.emb = nn.Embedding(7, 6)
        self.body = nn.Sequential(
            nn.Linear(6, 6),  # mix
            # a bend
            nn.Tanh(),
        )
        self.bn = nn.BatchNorm1d(6)
        self.head = nn.Linear(6, 7)
        self.head.weight = self.emb.weight

    def forward(self, x):
        a, b = self.act(self.emb(x)).split(3, dim=-1)
        h = torch.cat([a, b], -1).flatten(1)[:, :6]
        h = F.hardswish(self.bn(self.body(h)))
        h = F.dropout(self.body(h).relu(), 0.5, self.training)
        return self.head(h)

criterion = nn.CrossEntropyLoss()

def main():
    torch.manual_seed(0)
    net = Net()
    print(sum(p.numel() for p in net.parameters() if p.requires_grad))
    options = dict(OPTIONS)
    optimizer = torch.optim.SGD(net.parameters(), **options)
    x, y = torch.randint(0, 7, (8, 4)), torch.randint(0, 7, (8,))
    cuda = torch.cuda.is_available()
    total = 0.0
    for i in range(3):  # three steps
        if cuda:
            x = x.cuda()
        else:
            x = x
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(total, net.head.weight.norm().item())
    net.eval()
    with torch.no_grad():
        out = net(x)
        _, predicted = torch.max(out, 1)
        values, _ = out.topk(2, dim=1)
        print(predicted.tolist(), out.max(1).values.sum().item(), out.topk(2).indices.tolist())

main()
"""


@pytest.fixture(scope="module")
def short(tmp_path_factory, recorded):
    from jaxvstorch._port.draft.composing import compose
    from jaxvstorch._port.draft.parity import compare_parts

    path = tmp_path_factory.mktemp("short") / "program.py"
    path.write_text(NETWORK, encoding="utf-8")
    recording, _ = recorded(path)
    draft = path.with_name("draft.py")
    draft.write_text(source := compose(recording), encoding="utf-8")
    return source, dict(compare_parts(draft, source, recording))


def test_a_short_draft_is_at_parity(short) -> None:
    _, parity = short
    assert [part for part, result in parity.items() if result.startswith("not ")] == []
    assert parity["Net"].startswith("at parity")
    assert parity["train_step"].startswith("at parity")


@pytest.mark.parametrize(
    "text",
    [
        "optax.softmax_cross_entropy_with_integer_labels(input, target).mean()",
        "a, b = jnp.split(self.act(self.emb(x)), 2, axis=-1)",
        "lax.collapse(jnp.concatenate([a, b], axis=-1), 1)",
        "h = dropout(jax.nn.relu(self.body(h)), 0.5, not self.deterministic, self.rngs())",
        "self.head = TiedLinear(self.emb, self.head.bias)",
        "for p in jax.tree.leaves(nnx.state(net, nnx.Param))",
        'optax.sgd(options["lr"], options["momentum"] or None)',
        "predicted = jnp.argmax(out, axis=1)",
        "jnp.max(out, axis=1)",
        "values, _ = lax.top_k(out, 2)",
        "lax.top_k(out, 2)[1]",
        "out = jitted_call(net, x)",
        "        total += loss\n    total = total.item()\n",
        '    # how fast\n    "lr": 0.1,  # the rate\n',
        "            nnx.Linear(6, 6, rngs=rngs),  # mix\n",
        "            # a bend\n            jnp.tanh,",
        "for i in range(3):  # three steps\n        loss = train_step(",
    ],
)
def test_a_draft_is_as_short_as_the_run_allows(short, text) -> None:
    assert text in short[0]


def test_branches_of_devices_are_one(short) -> None:
    assert "if cuda" not in short[0]


def test_a_general_form_stays_where_the_run_needs_it(drafted) -> None:
    source, parity = drafted(
        """
        import torch
        import torch.nn.functional as F

        def loss(x, y):
            parts = x.split(2, dim=1)
            return F.cross_entropy(x, y) + F.max_pool2d(x[None, None], 2).sum() + len(parts)

        x = torch.arange(12.0).reshape(3, 4)
        loss(x, torch.tensor([0, 1, 2]))
        loss(x[:, :3], torch.tensor([0, -100, 2]))
        """
    )
    assert parity["loss"] == "at parity: values, in float32 and float64"
    assert "cross_entropy(x, y)" in source
    assert "def cross_entropy(" in source
    assert "split(x, 2, 1)" in source
    assert (
        "lax.reduce_window(x[None, None], -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2)" in source
    )


def test_a_loop_that_reads_its_total_waits_for_it(drafted) -> None:
    source, _ = drafted(
        """
        import torch

        def totals(xs):
            total, best = 0.0, 0.0
            for x in xs:
                total += x.sum().item()
                best += x.mean().item()
                if best > 2:
                    best = 0.0
            return total, best

        totals(torch.ones(3, 2))
        """
    )
    assert "total += jnp.sum(x)\n" in source
    assert "total = total.item()\n" in source
    assert "best += jnp.mean(x).item()" in source


def test_two_networks_share_what_is_computed_before_the_first_step(drafted) -> None:
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Maker(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.bn = nn.Linear(2, 3), nn.BatchNorm1d(3)

            def forward(self, x):
                return self.bn(self.fc(x))

        class Judge(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.bn = nn.Linear(3, 1), nn.BatchNorm1d(1)

            def forward(self, x):
                return self.bn(self.fc(x))

        torch.manual_seed(0)
        made, judge = Maker(), Judge()
        of_made = torch.optim.SGD(made.parameters(), lr=0.1)
        of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
        real = torch.randn(8, 3)
        for i in range(3):
            z = torch.randn(8, 2)
            fake = made(z)
            of_judge.zero_grad()
            loss_judge = judge(fake.detach()).pow(2).mean() - judge(real).pow(2).mean()
            loss_judge.backward()
            of_judge.step()
            of_made.zero_grad()
            loss_made = (judge(fake) * real[:, :1]).mean()
            loss_made.backward()
            of_made.step()
        """
    )
    assert "fake = nnx.clone(made)(z)" in source
    assert parity["train_step_judge"].startswith("at parity")
    assert parity["train_step_made"].startswith("at parity")


def test_a_block_s_own_names_are_no_arguments_of_the_step(drafted) -> None:
    source, parity = drafted(
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(3, 1)

            def forward(self, x):
                return self.fc(x)

        def learn(net, other, optimizer, x):
            q = net(x)
            with torch.no_grad():
                best = other(x)
                target = best + 1
            loss = ((q - target) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        net, other = Net(), Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for i in range(2):
            learn(net, other, optimizer, torch.randn(4, 3))
        """
    )
    assert "train_step(net, other, optimizer, x)" in source
    assert parity["train_step"].startswith("at parity")
