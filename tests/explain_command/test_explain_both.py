"""``explain --framework both``: one function through both compilers, from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from running import refused, run
from test_imports import WITHOUT

CLIP = """
def clip(grad, limit=1.0):
    norm = (grad * grad).sum() ** 0.5
    print("norm:", norm)
    if norm > limit:
        grad = grad * (limit / norm)
    return grad

def double(x):
    return 2 * x

def generator(x):
    yield x

def leaves(x):
    raise SystemExit(0)
"""
CLIPPED = ("clip.py:clip", "--framework", "both", "--arg", "f32[8]")


@pytest.fixture(autouse=True)
def file(with_jax, with_torch) -> None:
    """A file with functions that name no framework."""
    Path("clip.py").write_text(CLIP)


def test_in_a_pipe_it_is_text_in_columns() -> None:
    result = run(*CLIPPED)
    assert result.exit_code == 0
    first, *_ = (line for line in result.stdout.splitlines() if "if norm" in line)
    assert first.split() == [
        "5",
        "if",
        "norm",
        ">",
        "limit:",
        "!!",
        "TracerBoolConversionError",
        "py",
        "B1",
        "graph",
        "break",
    ]
    assert "norm: JitTracer(float32[])" in result.stdout
    assert result.stderr == ""
    assert "\x1b" not in result.stdout


def test_as_json() -> None:
    explanation = json.loads(run(*CLIPPED, "--json").stdout)
    assert explanation["schema"]["name"] == "jaxvstorch-both"
    assert [len(explanation[name]["programs"]) for name in ("jax", "torch")] == [0, 3]
    assert explanation["printed"]["jax"] == "norm: JitTracer(float32[])\n"


def test_a_page_is_written_too() -> None:
    result = run("clip.py:double", "--framework", "both", "--arg", "f32[8]", "--html", "out.html")
    assert result.exit_code == 0
    page = Path("out.html").read_text()
    assert "<title>double in both, explained</title>" in page
    assert "torch.compile" in page


def test_fail_on_looks_at_both() -> None:
    failed = run(*CLIPPED, "--fail-on", "failed,break")
    assert failed.exit_code == 1
    kinds = [line.split()[2] for line in failed.stderr.splitlines()]
    assert kinds == ["failed", "break", "break"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clip.py:clip"], "TypeError: clip(grad, limit=1.0) does not take these arguments"),
        (["clip.py:clip", "--arg", "3.0"], "--framework both needs an array: give one, such as"),
        (["clip.py:clip", "--arg", "f64[3]"], "an array float64[3] cannot be made: 64-bit types"),
        (["clip.py:clip", "--call", "f32[3]"], "--call works with one framework: use --framework"),
        (["clip.py:clip", "--arg", "f32[3]", "--stages"], "--stages works with one framework"),
        (
            ["clip.py:clip", "--arg", "f32[3]", "--static", "limit=1"],
            "--static works with one framework: use --framework jax or torch, not both",
        ),
        (["clip.py:generator", "--arg", "f32[3]"], "generator is a generator function"),
        (["clip.py:leaves", "--arg", "f32[3]"], "clip.py:leaves called sys.exit(0)"),
        (
            ["model_jax.py:clean", "--arg", "f32[3]"],
            "model_jax.py:clean is written for JAX, but --framework both needs a function that "
            "names no framework: use --framework jax",
        ),
        (["model_torch.py:compiled", "--arg", "f32[3]"], "model_torch.py:compiled is written for"),
    ],
)
def test_bad_input_is_one_line_that_says_the_cure(arguments, message) -> None:
    assert refused(*arguments, "--framework", "both").startswith(message)


@pytest.mark.parametrize("missing", ["jax", "torch"])
def test_a_missing_framework_says_how_to_install_it(missing) -> None:
    run = f"from jaxvstorch._command.cli import app\napp({['explain', *CLIPPED]})"
    code = f"{WITHOUT.format(missing=missing)}\n{run}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    title = {"jax": "JAX", "torch": "PyTorch"}[missing]
    assert f"clip.py:clip with --framework both needs {title}, which is not installed" in line
