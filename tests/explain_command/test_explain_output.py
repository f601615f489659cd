"""What ``explain`` prints and writes: text, JSON, a page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import explained, refused, run
from typer.testing import CliRunner

from jaxvstorch._command.cli import app
from jaxvstorch._files import write_marked


def test_in_a_pipe_it_is_text_without_colour(with_jax) -> None:
    result = run("model_jax.py:clean", "--arg", "f32[3]")
    assert result.exit_code == 0
    assert "clean in JAX" in result.stdout
    assert "return jnp.sin(x)" in result.stdout
    assert "\x1b" not in result.stdout


def test_an_error_of_the_function_is_part_of_the_explanation(with_jax) -> None:
    result = run("model_jax.py:fails", "--arg", "f32[3]")
    assert result.exit_code == 0
    assert "ValueError: my own" in result.stdout
    failed = run("model_jax.py:fails", "--arg", "f32[3]", "--fail-on", "failed")
    assert failed.exit_code == 1


def test_stages_are_added_where_they_are_asked_for(with_jax) -> None:
    assert explained("model_jax.py:clean", "--arg", "f32[3]")["compiled"] is None
    explanation = explained("model_jax.py:clean", "--arg", "f32[3]", "--stages")
    assert "stablehlo.sine" in "".join(stage["text"] for stage in explanation["compiled"]["stages"])


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
    write_marked("before\n", Path("out.html"))
    before = Path("out.html").read_text()
    assert refused("model_jax.py:generator", "--arg", "f32[3]", "--html", "out.html")
    monkeypatch.setattr(Path, "replace", _full_disk)
    message = refused("model_jax.py:clean", "--arg", "f32[3]", "--html", "out.html")
    assert message == "--html out.html cannot be written: No space left on device"
    assert Path("out.html").read_text() == before
    Path("out.html").write_text("mine")
    message = refused("model_absent.py:f", "--html", "out.html")
    assert message.startswith(
        "--html out.html cannot be written: it holds text that jaxvstorch did not"
    )
    assert not list(folder.glob("*.part"))


def _full_disk(*_: object) -> None:
    raise OSError(28, os.strerror(28))


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("absent/out.html", "--html absent/out.html: there is no folder absent: create it first"),
        (".", "--html . is a folder: give the name of a file"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_at_once(folder, page, message) -> None:
    assert refused("model_absent.py:f", "--html", page) == message


@pytest.mark.parametrize(
    ("framework", "arguments", "printed"),
    [
        ("jax", ["layer", "--call", "{'w': f32[3,4], 'b': f32[4]}, f32[2,3]"],
         ["layer was traced", "printed by a program"]),
        ("jax", ["late", "--call", "f32[2]"], ["printed when it ran"]),
        ("torch", ["breaks", "--arg", "f32[2]"], ["breaks was called"]),
    ],
    ids=["while tracing", "late, by JAX", "by Python, after a break"],
)  # fmt: skip
def test_json_has_standard_output_to_itself(request, framework, arguments, printed) -> None:
    request.getfixturevalue(f"with_{framework}")
    function, *words = arguments
    command = [sys.executable, "-m", "jaxvstorch", "explain", f"model_{framework}.py:{function}"]
    done = subprocess.run([*command, "--json", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["function"] == function
    assert all(text in done.stderr for text in printed)


def test_help_names_every_option() -> None:
    shown = CliRunner().invoke(app, ["explain", "--help"], env={"COLUMNS": "200"}).stdout
    options = ["--arg", "--static", "--call", "--framework", "--seed", "--stages", "--html"]
    assert all(option in shown for option in [*options, "--json", "--fail-on", "f32[8,128]"])
