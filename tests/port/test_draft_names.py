"""Drafts of programs that have something of their own under the name of a draft's helper."""

import ast
import builtins
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._pairs.source import imports, names_read
from jaxvstorch._port.draft.composing import compose
from jaxvstorch._port.draft.helpers import bound_in, needed
from jaxvstorch._port.draft.layers import own_classes
from jaxvstorch._port.draft.parity import compare_parts
from jaxvstorch._port.draft.writing_tests import write_tests
from jaxvstorch._port.map.pasting import imports_of

LIBRARIES = {"jax", "jnp", "lax", "math", "nnx", "optax", "partial", "ocp", "Path", "Array"}

PROGRAM = """\
import torch
from torch import nn

TORCH_NAMES = ["a"]


def from_torch(x):
    return x * 2


class Conv(nn.Module):
    def __init__(self, c, d):
        super().__init__()
        self.conv = nn.Conv2d(c, d, 3, bias=False)
        self.register_buffer("shift", torch.ones(1))

    def forward(self, x):
        return torch.relu(self.conv(x)) + self.shift


def train_step(net, optimizer, x, y):
    optimizer.zero_grad()
    cross_entropy = nn.functional.cross_entropy(net(from_torch(x)).mean((2, 3)), y, reduction="sum")
    cross_entropy.backward()
    optimizer.step()


def main():
    torch.manual_seed(0)
    net = Conv(1, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(4, 1, 6, 6), torch.arange(4) % 2
    for _ in range(3):
        train_step(net, optimizer, x, y)
    state_dict = net.state_dict()
    other = Conv(1, 2)
    other.load_state_dict(state_dict)
    print(len(TORCH_NAMES), bool((other(x) - net(x)).abs().max() < 1e-5))


if __name__ == "__main__":
    main()
"""


def test_helpers_leave_the_program_its_names(tmp_path, recorded) -> None:
    file, path = tmp_path / "program.py", tmp_path / "draft.py"
    file.write_text(PROGRAM)
    recording, _ = recorded(file)
    path.write_text(source := compose(recording))
    parity = dict(compare_parts(path, source, recording))
    for part in ("Conv", "from_torch", "compiled_train_step"):
        assert parity[part].startswith("at parity")
    assert "self.conv = Conv_(c, d, (3, 3)" in source
    assert "state_dict = state_dict_(net)" in source
    assert "return cross_entropy_(" in source
    assert write_tests(path, recording, parity) is not None
    assert "return draft.from_torch_(module, values)" in (tmp_path / "test_draft.py").read_text()
    command = [sys.executable, "-W", "error", "draft.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "1 True", ran.stderr


def test_each_helper_brings_what_it_calls() -> None:
    for name in own_classes():
        helpers = needed(f"x = paste.{name}", True, set())
        parts = [*helpers.bases, *helpers.pasted.values(), *helpers.own]
        whole = helpers.in_text("\n".join(parts))
        imported = {n for n, _ in imports(ast.parse(imports_of(helpers.pasted)).body)}
        defined = bound_in([ast.parse(whole)]) | imported | LIBRARIES | vars(builtins).keys()
        assert names_read(whole) - defined == set(), name


def test_a_file_imported_as_a_whole(tmp_path, monkeypatch, recorded) -> None:
    """What is read of it has its own name in the draft; a variable of the same name stays."""
    (tmp_path / "nets.py").write_text(
        "import torch\n\nWIDTH = 2\n\n\ndef made():\n    return torch.nn.Linear(WIDTH, 1)\n\n\n"
        "def shifted(x):\n    return x + 1\n"
    )
    file, path = tmp_path / "program.py", tmp_path / "draft.py"
    file.write_text(
        "import torch\nimport nets\n\n\nclass Held:\n    WIDTH = 5\n\n\n"
        "def held(nets):\n    return nets.WIDTH\n\n\n"
        "print(nets.shifted(torch.ones(nets.WIDTH)).tolist(), held(Held), type(nets.made()))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    recording, _ = recorded(file)
    path.write_text(source := compose(recording))
    assert "print(shifted(jnp.ones(WIDTH)).tolist(), held(Held), type(made(rngs=rngs)))" in source
    assert "return nets.WIDTH" in source
    assert "# TODO" not in source


def test_a_program_that_runs_another_file(tmp_path, monkeypatch, recorded) -> None:
    """The draft has that file's statements instead of the call, and what it imports from beside."""
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / "beside.py").write_text("def doubled(x):\n    return x * 2\n")
    (folder / "main.py").write_text(
        "import beside\nimport torch\n\nprint(beside.doubled(torch.ones(3)).sum().item())\n"
    )
    file = tmp_path / "program.py"
    file.write_text("import runpy\n\nrunpy.run_path('inner/main.py', run_name='__main__')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(folder)
    source = compose(recorded(file)[0])
    kept = "    # What follows ran by runpy.run_path('inner/main.py', run_name='__main__').\n\n"
    assert (
        f'if __name__ == "__main__":\n{kept}    print(jnp.sum(doubled(jnp.ones(3))).item())'
        in source
    )
    assert "beside" not in source.partition('"""\n')[2]
