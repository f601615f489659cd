"""``jaxvstorch map``."""

import json
import subprocess
import sys

from rich.text import Text
from typer.testing import CliRunner

from jaxvstorch._command.cli import app
from jaxvstorch._port.map.rows import jax_rows, rows


def run(*arguments: str):
    return CliRunner().invoke(app, ["map", *arguments])


def test_a_name_of_pytorch() -> None:
    shown = run("torch.std").output
    assert "PyTorch  torch.std(" in shown
    assert "JAX  jnp.std(" in shown
    assert "not  jnp.std(" in shown  # what people write first, and the value that shows it
    assert "1.29099" in shown
    assert "1.11803" in shown


def test_a_function_to_paste_comes_along() -> None:
    shown = run("torch.gather").output
    assert "def gather(" in shown
    assert "import jax.numpy as jnp" in shown


def test_what_forms_share_is_printed_once() -> None:
    shown = run("--all", "gather").output
    assert "Tensor.gather, a form of torch.gather" in shown
    assert shown.count("def gather(") == 1


def test_an_answer_is_short_and_names_the_others() -> None:
    shown = run("gather").output
    assert "Also: Tensor.gather" in shown
    assert len(shown.splitlines()) < 40


def test_a_form_is_named_as_one() -> None:
    shown = run("Tensor.add_").output
    assert "a form of torch.add" in shown
    assert "assign the result" in shown


def test_a_form_in_another_library_says_whose_call_is_shown() -> None:
    assert "the call is nnx.BatchNorm's" in run("flax.linen.BatchNorm").output
    assert "the call is" not in run("Tensor.add_").output
    assert "the call is" not in run("flax.linen.relu").output  # which is jax.nn.relu


def test_a_name_without_counterpart_says_what_people_do() -> None:
    assert (
        "done another way: make a key with `jax.random.key(seed)`"
        in run("torch.manual_seed").output
    )
    assert "assign the result" not in run("clip_grad_norm_").output


def test_a_line_that_is_for_defaults_names_each_of_them() -> None:
    assert "missing  amsgrad, maximize: the line uses the default" in run("AdamW").output


def test_a_name_of_jax() -> None:
    found = json.loads(run("jax.numpy.cumsum", "--json").output)["names"]
    assert found[0]["name"] == "jnp.cumsum"
    assert found[0]["torch"].startswith("torch.cumsum(")


def test_json_has_all_of_it() -> None:
    (found,) = json.loads(run("torch.gather", "--json").output)["names"]
    assert found["jax"] == "paste.gather(input, dim, index)"
    assert found["probes"]
    assert found["calls"] >= found["agreed"] > 0


def test_json_of_all_that_fits_has_what_the_command_prints() -> None:
    found = json.loads(run("gather", "--json", "--all").output)["names"]
    assert [name["name"] for name in found][:2] == ["torch.gather", "Tensor.gather"]


def test_it_says_why_an_answer_is_one() -> None:
    assert "torch.optim.AdamW  (for “weight decay”)" in run("weight decay").output
    assert "torch.gather\n" in run("gather").output


def test_a_recipe_that_does_not_call_the_name_is_near_it() -> None:
    assert "near it  Export a program" in run("torch.onnx.export").output
    assert "run  Export a program" in run("torch.export.export").output


def test_an_unknown_name_has_neighbours() -> None:
    done = run("torch.gahter")
    assert done.exit_code == 1  # 2 is for what cannot be read
    assert "Did you mean torch.gather" in " ".join(done.stderr.split())
    assert run("no_such_name_at_all").stderr.count("\n") == 1


def test_without_a_name_it_says_what_there_is() -> None:
    shown = run().output
    assert f"{len(rows())} names of PyTorch" in shown
    assert f"{len(jax_rows())} names of JAX" in shown
    assert "Reductions, scans, sorting and counting" in shown
    assert len(json.loads(run("--json").output)["names"]) == len(rows()) + len(jax_rows())


def test_it_fits_a_terminal_of_80_columns(monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    lines = Text.from_ansi(run("torch.std").output).plain.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].startswith(" " * 11)  # what is wrapped stands below its beginning
    assert [line for line in lines if line != line.rstrip()] == []


def test_it_needs_neither_framework_nor_numpy() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from jaxvstorch._command.cli import app; "
        "assert 'jnp.sum' in CliRunner().invoke(app, ['map', 'torch.sum']).output; "
        "print(sorted({'jax', 'torch', 'flax', 'optax', 'numpy'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
