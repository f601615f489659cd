"""The command: what it prints for eyes and for pipes, what it refuses, and what it costs."""

import json
import os
import pty
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import jaxvstorch
from jaxvstorch._command.cli import app
from jaxvstorch._pairs import source
from jaxvstorch._pairs.registry import PAIRS, topics

NAMES = [str(pair) for pair in PAIRS]
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "240", "NO_COLOR": ""}
COLOUR = re.compile(r"\x1b\[(?:[\d;]*;)?(?:3\d|9\d)[\d;]*m")
STYLE = re.compile(r"\x1b\[[\d;]*m")


def run(*arguments: str, **environ: str):
    return CliRunner().invoke(app, list(arguments), env=environ or None)


def halves(pair) -> list[str]:
    return [pair.source(framework) for framework in ("jax", "torch")]


def test_list_has_every_topic_and_pair() -> None:
    result = run("list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for topic in topics():
        assert f"{topic}  {source.summary(topic)}" in lines
    assert [line.split()[0] for line in lines if line.startswith("  ")] == NAMES
    assert "  branching.select_if" in result.stdout
    assert "torch.compile breaks the graph" in result.stdout
    assert all(line == line.rstrip() for line in lines)


def test_list_as_json() -> None:
    found = json.loads(run("list", "--json").stdout)
    assert [topic["name"] for topic in found["topics"]] == topics()
    pairs = [pair for topic in found["topics"] for pair in topic["pairs"]]
    assert [pair["name"] for pair in pairs] == NAMES
    select_if = next(pair for pair in pairs if pair["name"] == "branching.select_if")
    assert select_if == {
        "name": "branching.select_if",
        "gradient": [1],
        "static": [],
        "jit": False,
        "fullgraph": False,
    }


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_show_in_a_pipe_is_the_source_and_nothing_else(pair) -> None:
    result = run("show", str(pair))
    assert result.exit_code == 0
    jax_half, torch_half = halves(pair)
    assert result.stdout == f"# JAX: {pair}\n{jax_half}\n\n\n# PyTorch: {pair}\n{torch_half}\n"
    compile(result.stdout, "shown", "exec")


def test_show_a_topic_shows_every_pair_of_it() -> None:
    shown = run("show", "branching").stdout
    for pair in PAIRS:
        assert (f"# JAX: {pair}\n" in shown) == (pair.topic == "branching")
    compile(shown, "shown", "exec")


def test_show_side_by_side_where_it_is_wide() -> None:
    lines = STYLE.sub("", run("show", "branching.select_where", **TERMINAL).stdout).splitlines()
    jax_lines, torch_lines = map(str.splitlines, _select_where())
    assert len(lines) == 1 + max(len(jax_lines), len(torch_lines))
    for line, left, right in zip(lines[1:], jax_lines, torch_lines, strict=False):
        assert line.startswith(left)
        assert line.rstrip().endswith(right)


def _select_where() -> list[str]:
    return halves(next(pair for pair in PAIRS if str(pair) == "branching.select_where"))


@pytest.mark.parametrize("columns", ["40", "80", "120"])
def test_show_one_after_the_other_where_it_is_narrow(columns) -> None:
    environ = TERMINAL | {"COLUMNS": columns}
    shown = STYLE.sub("", run("show", "branching.select_where", **environ).stdout)
    jax_half, torch_half = _select_where()
    first, second = f"JAX: branching.select_where\n{jax_half}", "PyTorch: branching.select_where"
    assert shown == f"{first}\n\n{second}\n{torch_half}\n"


def test_colour_in_a_terminal_only_and_not_where_it_is_not_wanted() -> None:
    shown = run("show", "branching.select_where", **TERMINAL).stdout
    assert COLOUR.search(shown)
    plain = run("show", "branching.select_where", **TERMINAL | {"NO_COLOR": "1"}).stdout
    assert not COLOUR.search(plain)
    assert STYLE.sub("", plain) == STYLE.sub("", shown)
    assert "\x1b" not in run("show", "branching.select_where").stdout


def test_a_real_terminal_is_noticed() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "jaxvstorch", "show", "branching.select_where"]
    environ = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"}
    subprocess.run(command, stdout=theirs, stderr=theirs, env=environ, check=True)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    os.close(theirs)
    assert COLOUR.search(shown)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("branching.select_wher", "Did you mean branching.select_where"),
        ("select_where", "Did you mean branching.select_where?"),
        ("brunching.select_where", "Did you mean branching.select_where?"),
        ("branchin", "Did you mean branching"),
        ("zzzzzz", "`jaxvstorch list` shows what there is."),
    ],
)
def test_an_unknown_name_suggests_the_nearest(name, nearest) -> None:
    result = run("show", name)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"jaxvstorch: there is no pair or topic '{name}'. {nearest}" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_command_suggests_the_nearest() -> None:
    result = run("lisst")
    assert result.exit_code == 2
    assert "Did you mean 'list'?" in result.stderr


def test_version_and_help() -> None:
    assert run("--version").stdout == f"{jaxvstorch.__version__}\n"
    shown = run("--help").stdout
    assert all(command in shown for command in ("list", "show", "doctor"))


@pytest.mark.parametrize("arguments", [["list"], ["show", "branching.select_where"]])
def test_list_and_show_import_no_framework_and_no_instrument(arguments) -> None:
    code = f"""
import sys
from jaxvstorch._command.cli import app
try:
    app({arguments!r})
except SystemExit as end:
    assert end.code == 0
slow = {{"jax", "jaxlib", "torch", "flax", "optax", "scipy"}}
rooms = ("_explain", "_measure", "_parity", "_port.map.rows", "_port.report")
instruments = {{f"jaxvstorch.{{room}}" for room in rooms}}
sys.stderr.write(str(sorted((slow | instruments) & set(sys.modules))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]")
