"""``jaxvstorch error``."""

import json

import pytest
import typer
from typer.testing import CliRunner

from jaxvstorch._command import error_command
from jaxvstorch._command.cli import app

LOG = """\
step 1
Traceback (most recent call last):
  File "train.py", line 7, in step
    if loss > 0.1:
jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].
"""  # noqa: E501


def run(*arguments: str, text: str | bytes = ""):
    return CliRunner().invoke(app, ["error", *arguments], input=text)


def test_a_log_gives_the_entry_the_readers_line_and_what_to_do() -> None:
    done = run(text=LOG)
    assert done.exit_code == 0
    assert "train.py:7  if loss > 0.1:" in done.output
    assert "entry  jax/bool-of-tracer" in done.output
    assert "fix  Choose with jnp.where or jax.lax.cond" in done.output
    assert "errors/jax/bool-of-tracer.html" in done.output
    assert "step 1" not in done.output


def test_words_of_a_message_are_enough() -> None:
    assert "torch/shapes-of-matmul" in run("mat1 and mat2 shapes cannot be multiplied").output


def test_an_entry_is_shown_by_its_name() -> None:
    shown = run("jax/index-out-of-bounds").output
    assert "raises no error" in shown
    assert "# wrong\njnp.arange(3)[5]" in shown
    (found,) = json.loads(run("jax/index-out-of-bounds", "--json").output)["found"]
    assert found["line"] is None


def test_what_the_index_does_not_know_is_said() -> None:
    done = run(text="ValueError: the boolean conversion of my own traced array\n")
    assert done.exit_code == 1
    assert done.output.startswith("This is not in the index.\n")
    assert "jax/bool-of-tracer" in done.output


def test_json_has_the_place_and_the_nearest() -> None:
    (found,) = json.loads(run("--json", text=LOG).output)["found"]
    assert (found["entry"], found["file"], found["line"]) == ("jax/bool-of-tracer", "train.py", 7)
    unknown = json.loads(run("--json", "my own boolean conversion").output)
    assert unknown["found"] == []
    assert unknown["nearest"]


def test_codes_for_a_terminal_are_not_passed_on() -> None:
    assert "\x1b" not in run(text=LOG.replace("if loss", "\x1b[31mif loss")).output


@pytest.mark.parametrize(
    "log", [LOG.encode("utf-16"), LOG.encode("utf-8-sig"), b"Gr\xf6\xdfe \x00\xff\n" + LOG.encode()]
)
def test_a_log_in_any_encoding_is_read(log) -> None:
    assert "entry  jax/bool-of-tracer" in run(text=log).output


def test_an_empty_text_is_called_empty() -> None:
    done = run(text=" \n")
    assert done.exit_code == 1
    assert done.output == "The text is empty: there is nothing to find.\n"


def test_a_closed_input_is_empty(monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(typer.Exit) as end:
        error_command.error(None, as_json=True)
    assert end.value.exit_code == 1
