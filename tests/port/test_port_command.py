"""``jaxvstorch port``: a program runs as it does alone, and JAX does each of its calls again."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxvstorch._command.cli import app

pytest.importorskip("torch", reason="PyTorch is not installed")

from jaxvstorch._port.draft.finishing import _require_unused
from jaxvstorch._port.draft.parity import left_to_do

PROGRAM = """\
import os
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


def unused(x):
    return torch.tanh(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randint(2, (8,))
for _ in range(int(sys.argv[1])):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
child = os.fork()
if child == 0:
    print("in the fork", torch.ones(2).sum().item(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
x[0] = 0
print(loss.item(), x.sum().item(), torch.rand(1).item())
"""


def run(*arguments: str):
    return CliRunner().invoke(app, ["port", *arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The folder of a ported program, with its report, page, draft and output."""
    folder = tmp_path_factory.mktemp("port")
    program = folder / "train.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "jaxvstorch", "port", "--json", "--html", "train.html",
               "--write", "draft.py", "train.py", "--", "3"]  # fmt: skip
    ported = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ported.returncode == 0, ported.stderr
    (folder / "report.json").write_text(ported.stdout)
    (folder / "printed").write_text(ported.stderr)
    return folder


@pytest.fixture(scope="module")
def report(folder) -> dict:
    return json.loads((folder / "report.json").read_text())


def calls(report: dict) -> dict[str, dict]:
    return {call["name"]: call for line in report["lines"] for call in line["calls"]}


def test_the_program_prints_what_it_prints_alone(folder) -> None:
    command = [sys.executable, "train.py", "3"]
    alone = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert (folder / "printed").read_text() == alone.stdout


def test_each_call_is_done_again(report) -> None:
    by_name = calls(report)
    assert by_name["torch.relu"]["status"] == "verified"
    assert by_name["torch.relu"]["becomes"] == "jax.nn.relu(self.first(x))"
    assert by_name["torch.relu"]["times"] == 3
    assert by_name["torch.nn.functional.cross_entropy"]["status"] == "verified"
    assert by_name["torch.randn"]["status"] == "random"
    assert set(report["counts"]) == {"verified", "random", "done another way"}


def test_a_step_of_the_optimizer_is_done_by_optax(report) -> None:
    step = calls(report)["torch.optim.Adam"]
    assert (step["status"], step["times"]) == ("verified", 3)
    assert "optax." in step["becomes"]


def test_mutation_and_gradients_have_notes(report) -> None:
    by_name = calls(report)
    assert by_name["Tensor.__setitem__"]["becomes"] == "x = x.at[0].set(0)"
    assert "assign the result" in by_name["Tensor.__setitem__"]["note"]
    assert "jax.value_and_grad" in by_name["Tensor.backward"]["note"]


def test_what_was_not_reached_is_named(report) -> None:
    assert report["unreached"][0]["source"] == "return torch.tanh(x)"


def test_what_a_fork_does_is_not_replayed(report) -> None:
    assert not [line for line in report["lines"] if "in the fork" in line["source"]]
    assert "Not replayed: 1 forked process." in report["notes"]


def test_the_draft_is_at_parity(folder, report) -> None:
    assert report["parity"]["Net"].startswith("at parity: values and gradients")
    draft = (folder / "draft.py").read_text()
    assert "class Net(nnx.Module):" in draft
    assert report["parity"]["train_step"].startswith("at parity: losses, weights and buffers")
    assert "import torch" not in draft


def test_the_draft_runs_without_this_package(folder) -> None:
    code = (
        "import sys; sys.modules['jaxvstorch'] = None\n"
        "import draft, torch\n"
        "from flax import nnx\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.first, self.last = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)\n"
        "net, x = Net(), torch.ones(1, 4)\n"
        "ported = draft.from_torch(draft.Net(rngs=nnx.Rngs(0)), net.state_dict())\n"
        "y = nnx.jit(lambda m, x: m(x))(ported, x.numpy())\n"
        "expected = net.last(torch.relu(net.first(x))).detach().numpy()\n"
        "print(abs(y - expected).max() < 1e-6)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "True", ran.stderr


@pytest.mark.parametrize(
    ("marks", "results", "done"),
    [
        (0, ["at parity: values"], True),
        (1, ["at parity: values"], False),
        (0, ["at parity: values", "not at parity: the loss"], False),
        (0, ["at parity: values", "cannot be compared: NameError"], False),
        (0, ["does not load: ImportError"], False),
        (0, ["takes no array: not compared"], False),
    ],
)
def test_nothing_is_left_to_do_only_at_parity(marks, results, done) -> None:
    assert (left_to_do(marks, results) == "nothing is left to do in it") is done


def test_what_did_not_run_is_counted_apart(drafted) -> None:
    """What the map translates is to be verified; what it does not is left to do."""
    source, parity = drafted(
        """
        import torch

        def made(x, more=False):
            if more:
                x = torch.nn.parallel.data_parallel(torch.nn.Tanh(), x)
                torch.nn.parallel.scatter(x, [0])
                return trained(torch.sum(x))
            return x + 1

        def trained(loss):
            loss.backward()
            return loss

        made(torch.ones(3))
        """
    )
    marks = [line.strip() for line in source.splitlines() if re.match(" +# (TODO|NOTE): ", line)]
    assert [mark.partition(" was not reached")[0] for mark in marks] == [
        "# NOTE: torch.nn.parallel.data_parallel",
        "# NOTE: torch.nn.Tanh",
        "# TODO: torch.nn.parallel.scatter",
        "# NOTE: torch.sum",
        "# TODO: Tensor.backward",
        "# NOTE: trained",
    ]
    assert parity["made"].startswith("at parity")
    assert left_to_do(0, [*parity.values()], 3) == (
        "nothing is left to do in it, but 3 places are not verified"
    )


def test_the_page_is_one_file(folder) -> None:
    page = (folder / "train.html").read_text()
    assert "<h1" in page
    assert "jax.nn.relu(self.first(x))" in page
    assert "<script" not in page
    assert "<link" not in page


@pytest.mark.parametrize(
    ("content", "arguments", "says"),
    [
        ("x = (", [], "is not a Python program"),
        ("x = 1", ["--static"], "names nothing from PyTorch"),
        ("import torch", ["--static", "--write", "out.py"], "--write needs a run"),
        ("import jax", ["--static"], "To port a JAX function, call jaxvstorch.port"),
        ("import torch", ["--write", "out.txt"], "a draft is a Python file, whose name ends in"),
        ("import torch", ["--html", "program.py"], "is the input file"),
        ("import torch", ["--html", "nowhere/out.html"], "there is no folder nowhere"),
        ("import torch", ["--html", "model.py"], "it holds text that jaxvstorch did not write"),
        ("import torch", ["--write", "model.py"], "it holds text that jaxvstorch did not write"),
        ("import torch", ["--write", "a.py", "--html", "a.py"], "are both a.py"),
        (f"import torch; {'-' * 3_000}1", [], "program.py is nested too deeply"),
        (f"import torch; {'1+' * 3_000}1", ["--static"], "program.py is nested too deeply"),
    ],
)
def test_bad_input_has_one_line(tmp_path, monkeypatch, content, arguments, says) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(content)
    Path("model.py").write_text("import torch")
    before = sys.getrecursionlimit()  # an earlier test's library may have raised it
    sys.setrecursionlimit(1_000)
    try:
        result = run(*arguments, "program.py")
    finally:
        sys.setrecursionlimit(before)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_no_file(tmp_path) -> None:
    assert "there is no file" in run(str(tmp_path / "none.py")).stderr
    assert "is a folder" in run(str(tmp_path)).stderr
    assert "/dev/zero is not a file on a disk" in run("/dev/zero").stderr


def test_a_draft_does_not_replace_what_the_program_imported() -> None:
    with pytest.raises(FileExistsError, match="the program imports it"):
        _require_unused(Path(json.__file__))


def test_static_reading_says_that_nothing_was_run(tmp_path) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    shown = run("--static", str(file)).output
    assert ". torch.relu → jax.nn.relu(self.first(x))  read, not run" in shown
    assert "Nothing was run" in shown
    assert "verified" not in shown
