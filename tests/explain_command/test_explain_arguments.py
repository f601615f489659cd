"""What ``explain`` can be given: arguments, static values, modules, a framework, a seed."""

import re
from pathlib import Path

import pytest
from running import explained, marks, run


def test_arrays_in_containers_and_a_static_function(with_jax) -> None:
    texts = ["{'w': f32[3,4], 'b': f32[4]}", "x=f32[2,3]"]
    arguments = [word for text in texts for word in ("--arg", text)]
    explanation = explained("model_jax.py:layer", *arguments, "--static", "activation=relu")
    assert explanation["framework"] == "jax"
    assert explanation["schema"]["name"] == "jaxvstorch-explanation"
    assert explanation["arguments"][1:] == ["x=f32[2,3]", "activation=relu"]
    assert marks(explanation)['h = x @ params["w"] + params["b"]'] == "graph"
    assert [source["name"] for source in explanation["sources"]] == ["layer", "relu"]


def test_a_static_word_decides_which_branch_is_traced(with_jax) -> None:
    explanation = explained("model_jax.py:choose", "--arg", "f32[3]", "--static", "mode=sum")
    assert marks(explanation)["return x.sum()"] == "graph"
    assert marks(explanation)["return x.mean()"] == "not reached"
    explanation = explained("model_jax.py:choose", "--arg", "f32[3]")
    assert marks(explanation)["return x.sum()"] == "not reached"


def test_a_static_value_of_a_function_that_is_jitted_already(with_jax) -> None:
    explanation = explained("model_jax.py:power", "--arg", "f32[3]", "--static", "n=3")
    assert "integer_pow" in explanation["programs"][0]["text"]


def test_torch_takes_static_values_as_keywords(with_torch) -> None:
    explanation = explained(
        "model_torch.py:layer", "--arg", "f32[3]", "--static", "activation=relu"
    )
    assert marks(explanation) == {"return activation(x) + 1": "graph"}


@pytest.mark.parametrize("name", ["linear", "compiled", "relu"])
def test_torch_modules_and_compiled_functions(with_torch, name) -> None:
    explanation = explained(f"model_torch.py:{name}", "--arg", "f32[3,4]")
    assert explanation["framework"] == "torch"
    assert len(explanation["programs"]) == 1


def test_a_module_by_its_dotted_name(with_jax) -> None:
    explanation = explained("model_jax:clean", "--arg", "f32[3]")
    assert explanation["function"] == "clean"


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_the_framework_can_be_given(folder, framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    Path("neither.py").write_text("def double(x):\n    return x + x\n")
    explanation = explained("neither.py:double", "--arg", "f32[3]", "--framework", framework)
    assert explanation["framework"] == framework
    assert marks(explanation) == {"return x + x": "graph"}


def test_the_seed_decides_the_numbers(with_torch) -> None:
    Path("seeded.py").write_text(
        "import torch\nseen = []\ndef f(x):\n    print(f'value {float(x):.6f}')\n    return x\n"
    )
    values = [
        re.findall(r"value \S+", run("seeded.py:f", "--arg", "f32[]", "--seed", seed).stderr)[0]
        for seed in ("0", "0", "1")
    ]
    assert values[0] == values[1] != values[2]


def test_a_function_may_have_a_parameter_named_framework(with_jax) -> None:
    Path("named.py").write_text("def scaled(x, framework):\n    return x * len(framework)\n")
    call = ("named.py:scaled", "--arg", "f32[3]", "--arg", "framework=[1, 2]")
    assert explained(*call, "--framework", "jax")["arguments"] == ["f32[3]", "framework=[1, 2]"]
