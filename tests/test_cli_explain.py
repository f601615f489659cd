"""The command ``explain``: every option, every kind of bad input, and what it leaves behind."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_imports import WITHOUT
from typer.testing import CliRunner

from jaxvstorch.cli import app

JAX = """
import os
from functools import partial
import jax
import jax.numpy as jnp

def relu(x):
    return jnp.maximum(x, 0)

def layer(params, x, activation=jnp.tanh):
    print("layer was traced")
    os.system("echo printed by a program")
    h = x @ params["w"] + params["b"]
    return activation(h)

def choose(x, mode="mean"):
    if mode == "sum":
        return x.sum()
    return x.mean()

def repeat(x, n):
    for _ in range(3):
        x = x * n
    return x

@partial(jax.jit, static_argnames="n")
def power(x, n, m=1):
    return x**n * m

def late(x):
    jax.debug.print("printed when it ran")
    return x

def clean(x):
    return jnp.sin(x)

def keywords(x, *, scale):
    return x * scale

def fails(x):
    raise ValueError("my own\\nerror")

def leaves(x):
    raise SystemExit(0)

def generator(x):
    yield x

def interrupted(x):
    raise KeyboardInterrupt

def hangs(x):
    import sys, time
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    while True:
        time.sleep(0.01)
"""
TORCH = """
import torch

def relu(x):
    return torch.relu(x)

def clean(x):
    return torch.sin(x)

def breaks(x):
    print("breaks was called")
    if x.sum() > 1e9:
        return x
    return x + 1

def add_(x, y, n=1):
    x.add_(y)
    return x * n

def layer(x, activation):
    return activation(x) + 1

linear = torch.nn.Linear(4, 2)
compiled = torch.compile(clean, backend="eager")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a file for each framework, as the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("model_jax.py").write_text(JAX)
    Path("model_torch.py").write_text(TORCH)
    return tmp_path


@pytest.fixture
def with_jax(folder) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")


@pytest.fixture
def with_torch(folder, fresh_torch_compile) -> None:
    """Dynamo without memory; skips where PyTorch is not installed."""


def run(*arguments: str):
    return CliRunner().invoke(app, ["explain", *arguments])


def explained(*arguments: str):
    """The JSON of a run that went well."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def marks(found) -> dict[str, str]:
    lines = found["sources"][0]["lines"]
    return {line["text"].strip(): line["mark"] for line in lines if line["mark"]}


def refused(*arguments: str) -> str:
    """The one line of a run that was bad input."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("jaxvstorch: ")
    return line.removeprefix("jaxvstorch: ")


def test_arrays_in_containers_and_a_static_function(with_jax) -> None:
    texts = ["{'w': f32[3,4], 'b': f32[4]}", "x=f32[2,3]"]
    arguments = [word for text in texts for word in ("--arg", text)]
    found = explained("model_jax.py:layer", *arguments, "--static", "activation=relu")
    assert found["framework"] == "jax"
    assert found["schema"]["name"] == "jaxvstorch-explanation"
    assert found["arguments"][1:] == ["x=f32[2,3]", "activation=relu"]
    assert marks(found)['h = x @ params["w"] + params["b"]'] == "graph"
    assert [source["name"] for source in found["sources"]] == ["layer", "relu"]


def test_a_static_word_decides_which_branch_is_traced(with_jax) -> None:
    found = explained("model_jax.py:choose", "--arg", "f32[3]", "--static", "mode=sum")
    assert marks(found)["return x.sum()"] == "graph"
    assert marks(found)["return x.mean()"] == "not reached"
    found = explained("model_jax.py:choose", "--arg", "f32[3]")
    assert marks(found)["return x.sum()"] == "not reached"


def test_a_static_value_of_a_function_that_is_jitted_already(with_jax) -> None:
    found = explained("model_jax.py:power", "--arg", "f32[3]", "--static", "n=3")
    assert "integer_pow" in found["programs"][0]["text"]


def test_torch_takes_static_values_as_keywords(with_torch) -> None:
    found = explained("model_torch.py:layer", "--arg", "f32[3]", "--static", "activation=relu")
    assert marks(found) == {"return activation(x) + 1": "graph"}


@pytest.mark.parametrize("name", ["linear", "compiled", "relu"])
def test_torch_modules_and_compiled_functions(with_torch, name) -> None:
    found = explained(f"model_torch.py:{name}", "--arg", "f32[3,4]")
    assert found["framework"] == "torch"
    assert len(found["programs"]) == 1


def test_a_module_by_its_dotted_name(with_jax) -> None:
    found = explained("model_jax:clean", "--arg", "f32[3]")
    assert found["function"] == "clean"


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_the_framework_can_be_given(folder, framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    Path("neither.py").write_text("def double(x):\n    return x + x\n")
    found = explained("neither.py:double", "--arg", "f32[3]", "--framework", framework)
    assert found["framework"] == framework
    assert marks(found) == {"return x + x": "graph"}


def test_in_a_pipe_it_is_text_without_colour(with_jax) -> None:
    result = run("model_jax.py:clean", "--arg", "f32[3]")
    assert result.exit_code == 0
    assert "clean in JAX" in result.stdout
    assert "return jnp.sin(x)" in result.stdout
    assert "\x1b" not in result.stdout


def test_the_ledger_is_over_all_calls_and_the_explanation_of_the_first(with_jax) -> None:
    calls = ["f32[8]", "f32[8],", "f32[9], mode='sum'"]
    arguments = [word for text in calls for word in ("--call", text)]
    found = explained("model_jax.py:choose", *arguments[:4])
    assert found["arguments"] == ["f32[8]"]
    rows = found["ledger"]["calls"]
    assert [row["arguments"] for row in rows] == ["f32[8]", "f32[8]"]
    assert [row["compilations"]["traces"] for row in rows] == [1, 0]
    assert [row["error"] for row in rows] == [None, None]
    result = run("model_jax.py:choose", *arguments)
    assert result.exit_code == 0
    assert "choose in JAX" in result.stdout
    assert "f32[9], mode='sum'" in result.stdout


def test_the_ledger_gives_jax_s_reasons_and_none_that_explaining_brought_in(with_jax) -> None:
    calls = ["--call", "f32[8], 2", "--call", "f32[8], 2", "--call", "f32[9], 2"]
    rows = explained("model_jax.py:power", *calls)["ledger"]["calls"]
    assert [row["compilations"]["traces"] for row in rows] == [1, 0, 1]
    reasons = [" ".join(row["compilations"]["reasons"]) for row in rows]
    assert reasons[0] == "first call"
    assert "user_context" not in str(reasons)
    assert "[9]" in reasons[2]


def test_keyword_only_and_static_arguments_in_a_ledger(with_jax) -> None:
    calls = ["--call", "f32[8]", "--call", "f32[8]"]
    found = explained("model_jax.py:keywords", *calls, "--static", "scale=3")
    rows = found["ledger"]["calls"]
    assert [row["arguments"] for row in rows] == ["f32[8], scale=3"] * 2
    assert [row["compilations"]["traces"] for row in rows] == [1, 0]


def test_a_torch_ledger_whose_calls_change_their_arguments(with_torch) -> None:
    calls = ["--call", "f32[3], f32[3]", "--call", "f32[3], f32[3]", "--call", "f32[3], 2, n=3"]
    found = explained("model_torch.py:add_", *calls)
    rows = found["ledger"]["calls"]
    assert [row["compilations"]["programs"] for row in rows] == [1, 0, 1]
    assert [row["error"] for row in rows] == [None] * 3


def test_an_error_of_the_function_is_part_of_the_explanation(with_jax) -> None:
    result = run("model_jax.py:fails", "--arg", "f32[3]")
    assert result.exit_code == 0
    assert "ValueError: my own" in result.stdout
    failed = run("model_jax.py:fails", "--arg", "f32[3]", "--fail-on", "failed")
    assert failed.exit_code == 1


def test_stages_are_added_where_they_are_asked_for(with_jax) -> None:
    assert explained("model_jax.py:clean", "--arg", "f32[3]")["compiled"] is None
    found = explained("model_jax.py:clean", "--arg", "f32[3]", "--stages")
    assert "stablehlo.sine" in "".join(stage["text"] for stage in found["compiled"]["stages"])


def test_the_seed_decides_the_numbers(with_torch) -> None:
    Path("seeded.py").write_text(
        "import torch\nseen = []\ndef f(x):\n    print(f'value {float(x):.6f}')\n    return x\n"
    )
    values = [
        re.findall(r"value \S+", run("seeded.py:f", "--arg", "f32[]", "--seed", seed).stderr)[0]
        for seed in ("0", "0", "1")
    ]
    assert values[0] == values[1] != values[2]


def test_a_page_is_written_beside_what_is_printed(with_jax, folder) -> None:
    arguments = ["model_jax.py:clean", "--call", "f32[3]", "--call", "f32[4]"]
    result = run(*arguments, "--html", "out.html")
    assert result.exit_code == 0
    page = Path("out.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "jnp" in page
    assert "f32[4]" in page
    assert "clean in JAX" in result.stdout
    assert {path.name for path in folder.iterdir()} >= {"out.html"}
    assert not list(folder.glob("*.part"))


def test_a_page_stays_as_it_was_where_explaining_failed(with_jax, folder, monkeypatch) -> None:
    Path("out.html").write_text("before")
    assert refused("model_jax.py:generator", "--arg", "f32[3]", "--html", "out.html")
    monkeypatch.setattr(Path, "replace", _full_disk)
    said = refused("model_jax.py:clean", "--arg", "f32[3]", "--html", "out.html")
    assert said == f"--html {folder / 'out.html'} cannot be written: No space left on device"
    assert Path("out.html").read_text() == "before"
    assert not list(folder.glob("*.part"))


def _full_disk(*_: object) -> None:
    raise OSError(28, os.strerror(28))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("absent/out.html", "--html absent/out.html: there is no folder absent: make it first"),
        (".", "--html . is a folder: give the name of a file"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_at_once(folder, page, said) -> None:
    assert refused("model_absent.py:f", "--html", page) == said


def test_json_has_standard_output_to_itself(with_jax) -> None:
    command = [sys.executable, "-m", "jaxvstorch", "explain", "model_jax.py:layer", "--json"]
    command += ["--call", "{'w': f32[3,4], 'b': f32[4]}, f32[2,3]"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["function"] == "layer"
    assert "layer was traced" in done.stderr
    assert "printed by a program" in done.stderr


def test_what_jax_prints_late_does_not_get_between_either(with_jax) -> None:
    command = [sys.executable, "-m", "jaxvstorch", "explain", "model_jax.py:late", "--json"]
    done = subprocess.run(
        [*command, "--call", "f32[2]"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["function"] == "late"
    assert "printed when it ran" in done.stderr


def test_json_of_torch_has_standard_output_to_itself(with_torch) -> None:
    command = [sys.executable, "-m", "jaxvstorch", "explain", "model_torch.py:breaks", "--json"]
    done = subprocess.run(
        [*command, "--arg", "f32[2]"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["function"] == "breaks"
    assert "breaks was called" in done.stderr


def test_what_must_not_be_found_and_was(with_torch) -> None:
    result = run("model_torch.py:breaks", "--arg", "f32[3]", "--fail-on", "impure, break")
    assert result.exit_code == 1
    said = [line for line in result.stderr.splitlines() if line.startswith("jaxvstorch: ")]
    assert said[0].startswith("jaxvstorch: --fail-on: break at model_torch.py:11: ")
    assert "breaks in PyTorch" in result.stdout


def test_what_must_not_be_found_and_was_not(with_torch) -> None:
    kinds = "break,impure,frozen,unrolled,callback,failed"
    result = run("model_torch.py:clean", "--arg", "f32[3]", "--fail-on", kinds)
    assert (result.exit_code, result.stderr) == (0, "")


def test_an_unrolled_loop_can_fail(with_jax) -> None:
    arguments = ["model_jax.py:repeat", "--arg", "f32[3]", "--arg", "2"]
    result = run(*arguments, "--fail-on", "unrolled")
    assert result.exit_code == 1
    assert "jaxvstorch: --fail-on: unrolled at model_jax.py:" in result.stderr
    assert run(*arguments, "--fail-on", "break").exit_code == 0


@pytest.mark.parametrize(("second", "status"), [("f32[3]", 0), ("f32[4]", 1)])
def test_a_retrace_is_a_later_call_that_traced_again(with_jax, second, status) -> None:
    calls = ["--call", "f32[3]", "--call", second]
    result = run("model_jax.py:clean", *calls, "--fail-on", "retrace")
    assert result.exit_code == status
    assert ("--fail-on: retrace at call 2 (f32[4]): " in result.stderr) == bool(status)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fail-on", "brake"], "--fail-on 'brake': did you mean break?"),
        (["--fail-on", "zzz"], "--fail-on 'zzz': there are break, retrace, impure, frozen,"),
        (["--fail-on", ","], "--fail-on needs one of break, retrace"),
        (["--fail-on", "retrace"], "--fail-on retrace compares calls: give --call at least twice"),
        (["--fail-on", "retrace", "--call", "1"], "--fail-on retrace compares calls"),
        (["--framework", "tensorflow"], "--framework must be jax or torch, not 'tensorflow'"),
        (["--arg", "1", "--call", "2"], "--arg and --call exclude each other"),
        (["--arg", "f31[3]"], "--arg 'f31[3]': at character 1: unknown dtype 'f31'; did you mean"),
        (["--arg", "word"], "--arg 'word': at character 1: word is a bare word"),
        (["--call", "f32[3"], "--call 'f32[3': at character "),
        (["--static", "n"], "--static 'n': expected name=VALUE"),
        (["--arg", "x=1", "--static", "x=2"], "x is given twice: as an argument, and with"),
        ([], "TypeError: clean(x) does not take these arguments: missing a required argument: 'x'"),
        (
            ["--arg", "1", "--arg", "2"],
            "TypeError: clean(x) does not take these arguments: too many positional arguments",
        ),
        (["--arg", "y=1"], "TypeError: clean(x) does not take these arguments: missing"),
        (
            ["--arg", "1", "--static", "y=1"],
            "TypeError: clean(x) does not take these arguments: got an unexpected keyword",
        ),
        (["--static", "x=[1]"], "--static x: [1] cannot be hashed, which JAX needs of a static"),
        (["--arg", "f64[3]"], "an array float64[3] cannot be made: 64-bit types are off in JAX"),
    ],
)
def test_bad_options_are_one_line_that_says_the_cure(with_jax, arguments, said) -> None:
    assert refused("model_jax.py:clean", *arguments).startswith(said)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("model_jax.py", "expected FILE.py:function or package.module:function"),
        ("absent.py:f", "absent.py does not exist"),
        ("notes.txt:f", "notes.txt is not Python"),
        ("broken.py:f", "broken.py could not be imported: SyntaxError"),
        ("model_jax.py:clear", "model_jax.py has no 'clear'. Did you mean clean"),
        ("model_jax.py:jnp", "jnp in model_jax.py is no function but of type module"),
        ("model_jax.py:generator", "generator is a generator function"),
        ("model_jax.py:leaves", "model_jax.py:leaves ended Python with sys.exit(0)"),
    ],
)
def test_a_target_that_cannot_be_explained(with_jax, target, said) -> None:
    Path("notes.txt").write_text("")
    Path("broken.py").write_text("def f(:")
    assert refused(target, "--arg", "f32[3]").startswith(said)


def test_static_contradicts_the_function_s_own_jit(with_jax) -> None:
    said = refused("model_jax.py:power", "--arg", "f32[3]", "--arg", "2", "--static", "m=3")
    assert said.startswith(
        "--static m: model_jax.py:power is compiled already, and its own jax.jit"
    )
    assert said.endswith("give it with --arg m=…")


def test_both_frameworks(folder) -> None:
    for framework in ("jax", "torch"):
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    Path("both.py").write_text("import jax, torch\ndef f(x):\n    return x + x\n")
    said = "both.py:f uses both frameworks: say which with --framework jax or torch"
    assert refused("both.py:f", "--arg", "f32[3]") == said


@pytest.mark.parametrize("missing", ["jax", "torch"])
def test_a_missing_framework_says_how_to_install_it(folder, missing) -> None:
    Path("neither.py").write_text("def f(x):\n    return x + x\n")
    for target in (f"model_{missing}.py:clean", "neither.py:f"):
        arguments = ["explain", target, "--arg", "f32[3]", "--framework", missing]
        code = (
            f"{WITHOUT.format(missing=missing)}\nfrom jaxvstorch.cli import app\napp({arguments})"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=300
        )
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert f"{target.partition(':')[0]}" in line
        assert "which is not installed. Install it with `pip install jaxvstorch`" in line


def test_ctrl_c_is_one_line(with_jax) -> None:
    result = run("model_jax.py:interrupted", "--arg", "f32[3]")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "jaxvstorch: stopped.\n"


# What a shell runs in the background is told to ignore the signal, and so are its children.
HEEDING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("jaxvstorch", run_name="__main__")
"""


def test_ctrl_c_from_outside(with_jax) -> None:
    command = [sys.executable, "-c", HEEDING, "explain", "model_jax.py:hangs", "--arg", "f32[3]"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "jaxvstorch: stopped.\n"
    assert process.returncode == 130


def test_nothing_is_left_behind(with_jax) -> None:
    before = (list(sys.path), sys.stdout, sys.gettrace())
    run("model_jax.py:clean", "--arg", "f32[3]")
    run("model_jax.py:fails", "--arg", "f32[3]")
    run("model_jax.py:interrupted", "--arg", "f32[3]")
    assert (list(sys.path), sys.stdout, sys.gettrace()) == before


def test_help_names_every_option() -> None:
    shown = CliRunner().invoke(app, ["explain", "--help"], env={"COLUMNS": "200"}).stdout
    options = ["--arg", "--static", "--call", "--framework", "--seed", "--stages", "--html"]
    assert all(option in shown for option in [*options, "--json", "--fail-on", "f32[8,128]"])
