"""The test file beside a draft: it passes without PyTorch, and claims what was seen only."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

from jaxvstorch._port.draft import cases, checks, writing_tests
from jaxvstorch._port.draft.composing import compose
from jaxvstorch._port.draft.parity import compare_parts
from jaxvstorch._port.draft.recording import FirstCall, Recording
from jaxvstorch._port.draft.writing_tests import write_tests

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(3, width)
        self.norm = nn.BatchNorm1d(width)  # the bias before it has no gradient but rounding
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(width, 2)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def distance(y, target):
    return ((y - target) ** 2).mean()


def evaluate(net, x):
    net.eval()
    return net(x)


torch.manual_seed(0)
net = Net(4)
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
x, target = torch.randn(6, 3), torch.randn(6, 2)
for _ in range(3):
    optimizer.zero_grad()
    loss = distance(net(x), target)
    loss.backward()
    optimizer.step()
evaluate(net, x)
"""
# Runs pytest where neither PyTorch nor this package can be imported.
ALONE = """\
import sys

class Absent:
    def find_spec(name, *_):
        if name.partition(".")[0] in ("torch", "jaxvstorch"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent)
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-W", "error", "test_draft.py"]))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory, recorded):
    """A folder with a program, its draft, and the test file of it."""
    folder = tmp_path_factory.mktemp("written")
    file, path = folder / "program.py", folder / "draft.py"
    file.write_text(PROGRAM)
    recording, _ = recorded(file)
    source = compose(recording)
    path.write_text(source)
    results = dict(compare_parts(path, source, recording))
    sentence = write_tests(path, recording, results)
    assert "test_draft.py tests 3 parts of the draft again" in sentence
    return folder


def test_it_passes_without_pytorch_and_this_package(written) -> None:
    command = [sys.executable, "-c", ALONE]
    ran = subprocess.run(command, cwd=written, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "3 passed" in ran.stdout


def test_it_is_short_and_names_what_it_does_not_test(written) -> None:
    text = (written / "test_draft.py").read_text()
    assert "- evaluate: takes a module: compared through it\n" in text
    assert "module = draft.Net(4, rngs=nnx.Rngs(0))" in text
    assert "with Draws().handed_over():" in text  # of the dropout
    assert 'check_outputs("distance", draft.distance(' in text
    assert len(text.splitlines()) < 170
    with np.load(written / "test_draft.npz") as values:
        after = values["train_step/net/first.bias"]
    assert np.isnan(after).all()  # Adam steps along roundings


def test_what_a_person_changed_is_not_overwritten(written, tmp_path) -> None:
    for name in ("test_draft.py", "test_draft.npz"):
        (tmp_path / name).write_bytes((written / name).read_bytes())
    tests, values = tmp_path / "test_draft.py", tmp_path / "test_draft.npz"
    writing_tests._require_own(tests)
    values.write_bytes(b"mine")
    with pytest.raises(FileExistsError, match=r"test_draft\.npz is there"):
        writing_tests._require_own(tests)
    tests.write_text(tests.read_text().replace("1e-6", "1e-5"))
    with pytest.raises(FileExistsError, match="did not write"):
        writing_tests._require_own(tests)


def gelu(x):
    return torch.nn.functional.gelu(x)


@pytest.mark.parametrize(
    ("result", "approximate", "limit", "is_written"),
    [
        ("at parity: values", False, 4_000_000, True),
        ("not at parity", False, 4_000_000, False),
        ("at parity: values", True, 4_000_000, False),  # the test would fail
        ("at parity: values", False, 10, False),
    ],
)
def test_a_test_is_written_only_where_it_passes(
    tmp_path, monkeypatch, result, approximate, limit, is_written
) -> None:
    path = tmp_path / "draft.py"
    path.write_text(
        f"import jax\n\ndef gelu(x):\n    return jax.nn.gelu(x, approximate={approximate})\n"
    )
    recording = Recording(str(path))
    recording.first_calls["gelu"] = FirstCall("gelu", gelu, (torch.linspace(-2, 2, 9),))
    monkeypatch.setattr(writing_tests, "LIMIT", limit)
    write_tests(path, recording, {"gelu": result})
    assert (tmp_path / "test_draft.py").exists() is is_written
    assert (tmp_path / "test_draft.npz").exists() is is_written


def test_large_arrays_are_kept_small() -> None:
    layer = torch.nn.Linear(400, 200)
    values = cases.with_kept_weights(layer)
    assert values["weight"].dtype == np.float16
    assert values["bias"].dtype == np.float32
    # PyTorch computes with what is kept.
    np.testing.assert_array_equal(layer.weight.detach(), values["weight"].astype(np.float32))
    result = cases.sampled(layer.weight)
    assert 4_000 < np.isfinite(result).sum() < 5_000


def test_arrays_are_compared_by_the_largest_number_where_pytorch_has_one() -> None:
    checks.assert_close([1.0, 5.0, 1e-5], [1.0, np.nan, 0.0])
    for actual, expected in ([1.0, 1.1], [1.0, 1.0]), ([1.0], [1.0, 1.0]):
        with pytest.raises(AssertionError):
            checks.assert_close(actual, expected)
