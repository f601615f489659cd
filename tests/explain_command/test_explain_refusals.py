"""Bad input to ``explain`` gives one line that says the cure."""

import subprocess
import sys
from pathlib import Path

import pytest
from running import refused
from test_imports import WITHOUT


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-on", "brake"], "--fail-on 'brake': did you mean break?"),
        (["--fail-on", "zzz"], "--fail-on 'zzz': choose from break, retrace, impure, frozen,"),
        (["--fail-on", ","], "--fail-on needs one of break, retrace"),
        (["--fail-on", "retrace"], "--fail-on retrace compares calls: give --call at least twice"),
        (["--fail-on", "retrace", "--call", "1"], "--fail-on retrace compares calls"),
        (["--framework", "tensorflow"], "--framework must be jax, torch or both, not"),
        (["--arg", "1", "--call", "2"], "--arg and --call cannot be combined"),
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
        (["--static", "x=[1]"], "--static x: [1] cannot be hashed, but JAX hashes static"),
        (["--arg", "-" * 5_000 + "1"], f"--arg '{'-' * 200}…': at character 1: "),
        (["--static", f"x={'-' * 9_000}1"], "--static 'x=---"),
        (
            ["--arg", "1", "--html", "model_jax.py"],
            "--html model_jax.py is the input file: give another name",
        ),
        (["--arg", "f64[3]"], "an array float64[3] cannot be made: 64-bit types are off in JAX"),
    ],
)
def test_bad_options_are_one_line_that_says_the_cure(with_jax, arguments, message) -> None:
    assert refused("model_jax.py:clean", *arguments).startswith(message)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("model_jax.py", "expected FILE.py:function or package.module:function"),
        ("absent.py:f", "absent.py does not exist"),
        ("notes.txt:f", "notes.txt is not Python"),
        ("broken.py:f", "broken.py could not be imported: SyntaxError"),
        ("model_jax.py:clear", "model_jax.py has no 'clear'. Did you mean clean"),
        ("model_jax.py:jnp", "jnp in model_jax.py is not a function: it is of type module"),
        ("model_jax.py:generator", "generator is a generator function"),
        ("model_jax.py:leaves", "model_jax.py:leaves called sys.exit(0)"),
    ],
)
def test_a_target_that_cannot_be_explained(with_jax, target, message) -> None:
    Path("notes.txt").write_text("")
    Path("broken.py").write_text("def f(:")
    assert refused(target, "--arg", "f32[3]").startswith(message)


def test_static_contradicts_the_function_s_own_jit(with_jax) -> None:
    message = refused("model_jax.py:power", "--arg", "f32[3]", "--arg", "2", "--static", "m=3")
    assert message.startswith(
        "--static m: model_jax.py:power is already compiled, and its own jax.jit"
    )
    assert message.endswith("give it with --arg m=…")


def test_both_frameworks(folder) -> None:
    for framework in ("jax", "torch"):
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    Path("both.py").write_text("import jax, torch\ndef f(x):\n    return x + x\n")
    message = "both.py:f uses both frameworks: use --framework jax, torch or both"
    assert refused("both.py:f", "--arg", "f32[3]") == message


@pytest.mark.parametrize("missing", ["jax", "torch"])
def test_a_missing_framework_says_how_to_install_it(folder, missing) -> None:
    Path("neither.py").write_text("def f(x):\n    return x + x\n")
    for target in (f"model_{missing}.py:clean", "neither.py:f"):
        arguments = ["explain", target, "--arg", "f32[3]", "--framework", missing]
        run = f"from jaxvstorch._command.cli import app\napp({arguments})"
        code = f"{WITHOUT.format(missing=missing)}\n{run}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (2, "")
        (line,) = done.stderr.splitlines()
        assert f"{target.partition(':')[0]}" in line
        assert "which is not installed. Install it with `pip install jaxvstorch`" in line
