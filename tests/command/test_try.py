"""``jaxvstorch try``: every pair has a sensible answer, and wrong questions one clear error."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from needs import needs_compiler
from test_imports import WITHOUT
from typer.testing import CliRunner

from jaxvstorch import _frameworks
from jaxvstorch._command.cli import app
from jaxvstorch._pairs import registry
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS, example

pytest.importorskip("jax", reason="`try` compares both frameworks; JAX is not installed")
pytest.importorskip("torch", reason="`try` compares both frameworks; no PyTorch here")

PAIR = "branching.select_where"
ONE_OF_A_TOPIC = {pair.topic: pair for pair in reversed(PAIRS)}.values()


def is_plain(pair: Pair) -> bool:
    return pair.reference is not None and pair.jit and pair.fullgraph


def tried_first(pair: Pair):
    """In the gate one pair of each topic is tried, and those that are tried in another way."""
    costly = is_plain(pair) and pair not in ONE_OF_A_TOPIC
    return pytest.param(pair, id=str(pair), marks=pytest.mark.matrix if costly else ())


def run(*arguments: str):
    return CliRunner().invoke(app, ["try", *arguments])


@pytest.mark.parametrize("pair", [tried_first(pair) for pair in PAIRS])
def test_every_pair_can_be_tried(pair) -> None:
    done = run(str(pair), "--size", "4")
    assert done.exit_code == 0, done.output
    assert all(f"\n{how}" in done.stdout for how in ("JAX eager", "PyTorch eager"))
    assert "DIFFERENT" not in done.stdout
    assert ("not compared" in done.stdout) == (pair.reference is None)
    assert ("values: the same as NumPy's" in done.stdout) == (pair.reference is not None)
    assert ("gradients: the same as" in done.stdout) == bool(pair.gradient)


def test_what_is_shown() -> None:
    lines = run(PAIR).stdout.splitlines()
    assert lines == [
        PAIR,
        "predicate      bool[]      False",
        "x              float32[8]  -0.1321 0.6404 0.1049 -0.5357 …",
        "",
        "JAX eager      float32[8]  0.01745 0.4101 0.011 0.2869 …",
        "PyTorch eager  float32[8]  0.01745 0.4101 0.011 0.2869 …",
        "",
        *lines[-2:],
    ]
    assert lines[-2].startswith("values: the same as NumPy's in float64 (error ")
    assert lines[-1].startswith("gradients: the same as PyTorch's in float64 (error ")


def test_what_is_no_array_is_shown_as_python_shows_it() -> None:
    lines = run("static_args.gated", "--size", "2").stdout.splitlines()
    assert "activation     function    tanh" in lines


def test_size_dtype_and_seed() -> None:
    first, again, other = (
        run(PAIR, "--size", "3", "--dtype", "f64", "--seed", seed, "--framework", "jax").stdout
        for seed in ("1", "1", "2")
    )
    assert first == again != other
    assert "float64[3]" in first
    assert "PyTorch" not in first.replace("PyTorch's", "")


def test_json() -> None:
    done = run("pytrees.sgd_step", "--json", "--size", "4")
    found = json.loads(done.stdout)
    assert (found["name"], found["same"]) == ("pytrees.sgd_step", True)
    assert found["arguments"][0]["name"] == "params['hidden']['bias']"
    assert list(found["results"]) == ["JAX eager", "PyTorch eager"]
    (bias, *_) = found["results"]["JAX eager"]
    assert (bias["dtype"], bias["shape"], len(bias["numbers"])) == ("float32", [4], 4)
    assert all(comparison["same"] for comparison in found["comparisons"])


def test_what_a_half_prints_is_no_part_of_the_json() -> None:
    code = "import sys; from jaxvstorch.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "try", "tracing.print_in_program", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert json.loads(done.stdout)["same"] is True
    assert done.stderr.count("y = ") == 2  # once in each framework


def test_halves_that_differ_are_an_exit_status(monkeypatch) -> None:
    pair = replace(example(PAIR), reference=lambda predicate, x: x + 1)
    monkeypatch.setattr(registry, "PAIRS", (pair,))
    done = run(PAIR)
    assert done.exit_code == 1
    assert "jax output 0: DIFFERENT: float32, error" in done.stdout
    assert "torch output 0: DIFFERENT: float32, error" in done.stdout
    assert "values: the same" not in done.stdout
    assert json.loads(run(PAIR, "--json").stdout)["same"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["branching.select_wher"], "there is no pair or topic 'branching.select_wher'. Did you"),
        (["branching"], "branching is a topic: name one of its pairs, such as branching.select_if"),
        ([PAIR, "--dtype", "int32"], "cannot be made: dtype must be bfloat16 or float16 or"),
        ([PAIR, "--dtype", "f8"], "--dtype: unknown dtype 'f8'; "),
        ([PAIR, "--size", str(10**15)], f"the inputs of {PAIR} cannot be made: "),
        ([PAIR, "--framework", "both"], "--framework must be jax or torch, not 'both'"),
        (
            ["vectorization.solve_batch", "--dtype", "f16"],
            "vectorization.solve_batch in JAX failed with ",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_tried_is_one_clear_error(arguments, message) -> None:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", [("--size", "0"), ("--size", "1.5"), ("--seed", "-1")])
def test_numbers_out_of_range_are_refused(option) -> None:
    done = run(PAIR, *option)
    assert done.exit_code == 2
    assert f"Invalid value for '{option[0]}'" in done.stderr


@needs_compiler
@pytest.mark.usefixtures("fresh_torch_compile")
def test_a_half_that_cannot_be_compiled_stays_eager() -> None:
    lines = run("branching.select_if", "--compile").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[4:6]] == ["JAX eager", "torch.compile"]


@pytest.mark.parametrize("missing", _frameworks.FRAMEWORKS)
def test_the_framework_that_is_there_is_tried_alone(missing) -> None:
    code = (
        WITHOUT.format(missing=missing)
        + f"""
from jaxvstorch._command.cli import app
app(["try", {PAIR!r}])
"""
    )
    environ = os.environ | {"COLUMNS": "200"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, env=environ)
    there = {"jax": "PyTorch", "torch": "JAX"}[missing]
    assert done.returncode == 0, done.stderr
    assert f"{there} eager  float32[8]" in done.stdout
    assert "values: the same as NumPy's in float64" in done.stdout
    title = _frameworks.TITLES[missing]
    assert done.stderr == (
        f"jaxvstorch: {title} is not installed: {there} runs alone, and is compared with NumPy.\n"
    )
