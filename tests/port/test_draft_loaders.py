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
