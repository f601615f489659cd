"""What a DataLoader's workers run stays in PyTorch: a forked process can wait for JAX forever."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SCALE = torch.tensor([1.0, 2.0, 3.0])


def scaled(x):
    return x / SCALE


def shifted(x):
    return x - x.mean()


class Rows(Dataset):
    def __init__(self, x, classes):
        self.x, self.classes = shifted(x), classes

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return scaled(self.x[i]), self.classes[i]


def collate(batch):
    x, classes = zip(*batch)
    return torch.stack(x), torch.tensor(classes)


def main():
    torch.manual_seed(0)
    x = shifted(torch.randn(16, 3))
    rows = Rows(x, classes=[0, 1] * 8)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(2):
        for x, y in DataLoader(rows, batch_size=8, num_workers=0, collate_fn=COLLATE):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
        print(loss.item() < 5)


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    "collate",
    ["collate", "lambda batch: (torch.stack([x for x, _ in batch]), torch.ones(8).long())"],
)
def test_what_workers_run_stays(drafted, tmp_path, collate) -> None:
    source, parity = drafted(PROGRAM.replace("COLLATE", collate))
    assert "SCALE = torch.tensor([1.0, 2.0, 3.0])" in source
    assert f"collate_fn={collate}" in source
    assert "return x - jnp.mean(x)" in source  # the program calls it too
    assert "self.x, self.classes = torch_shifted(x), classes" in source
    assert "Rows(torch.from_dlpack(x), classes=[0, 1] * 8)" in source
    assert "TODO: " not in source.partition('"""\n')[2]
    assert {"scaled", "collate"}.isdisjoint(parity)
    assert parity["train_step"].startswith("at parity")
    workers = source.replace("num_workers=0", "num_workers=1")
    (tmp_path / "draft.py").write_text(workers, encoding="utf-8")
    command = [sys.executable, "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.split() == ["True", "True"], ran.stderr


def test_generators_are_streams_and_those_of_loaders_stay(drafted, tmp_path) -> None:
    source, parity = drafted(
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset, random_split

        def make_data(n, seed):
            g = torch.Generator().manual_seed(seed)
            return torch.randn(n, 3, generator=g), torch.randint(0, 2, (n,), generator=g)

        order = torch.Generator()
        order.manual_seed(3)
        noise = torch.Generator()
        noise.manual_seed(4)
        x, y = make_data(16, 1)
        print(torch.rand(2, generator=noise).shape)
        split = torch.Generator().manual_seed(1)
        train, _ = random_split(TensorDataset(x, y), [12, 4], generator=split)
        net = nn.Linear(3, 2)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
        for x, y in DataLoader(train, batch_size=4, shuffle=True, generator=order):
            optimizer.zero_grad()
            x = x + torch.randn(4, 3, generator=noise)
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
        """
    )
    assert "g = nnx.Rngs(seed)" in source
    assert "jax.random.normal(g(), (n, 3))" in source
    assert "noise = nnx.Rngs(4)" in source
    assert "jax.random.uniform(noise(), (2,))" in source
    assert "order.manual_seed(3)" in source
    assert "split = torch.Generator().manual_seed(1)" in source
    assert "TODO: " not in source.partition('"""\n')[2]
    assert parity["train_step"].startswith("at parity")
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
