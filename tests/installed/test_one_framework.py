"""With one of the frameworks alone, what needs only that one works, and the rest says so."""

import json
import os

import pytest

HERE = os.environ.get("JAXVSTORCH_ALONE", "jax")  # the framework that is installed
MISSING, TITLE = {"jax": ("torch", "PyTorch"), "torch": ("jax", "JAX")}[HERE]
READERS = """\
def double(x):
    return x + x
"""


@pytest.mark.parametrize(
    "line",
    [
        "--version",
        "list",
        "show branching.select_where",
        f"explain jaxvstorch.examples.branching.{HERE}:select_where --arg 'bool[]' --arg 'f32[3]'",
        "explain readers.py:double --arg 'f32[3]'",
        "map torch.gather",
        "map jnp.take",
        "port --static train.py",
    ],
)
def test_what_needs_only_this_one_works(shell, tmp_path, line) -> None:
    (tmp_path / "readers.py").write_text(READERS)
    done = shell(f"jaxvstorch {line}")
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    "line",
    [
        f"explain jaxvstorch.examples.branching.{MISSING}:select_where --arg 'bool[]'",
        "explain readers.py:double --arg 'f32[3]' --framework both",
        f"explain readers.py:double --arg 'f32[3]' --framework {MISSING}",
        "port train.py",
        "diff readers.py:double readers.py:double --arg 'f32[3]'",
    ],
)
def test_what_needs_the_other_says_so_in_a_line(shell, tmp_path, line) -> None:
    (tmp_path / "readers.py").write_text(READERS)
    done = shell(f"jaxvstorch {line}")
    assert done.returncode == 2
    assert f"needs {TITLE}, which is not installed. Install it with `pip install" in done.stderr
    assert done.stderr.count("\n") == 1


def test_doctor_says_what_does_not_work(shell) -> None:
    done = shell("jaxvstorch doctor --json")
    found = {
        (check["section"], check["name"]): check for check in json.loads(done.stdout)["checks"]
    }
    missing = found["versions", TITLE]
    assert (missing["value"], missing["problem"]) == ("not installed", None)
    assert "pip install jaxvstorch" in missing["note"]
    assert [key for key, check in found.items() if check["problem"] and key[0] == "versions"] == []


def test_in_python_the_error_names_it(shell) -> None:
    done = shell("python -c 'from jaxvstorch import port; port(abs, 1.0)'")
    error = f"MissingFrameworkError: port needs {TITLE}, which is not installed."
    assert error in done.stderr
