"""Sources come from the files, whole, and no framework is imported for them."""

import ast
import subprocess
import sys

import pytest

from jaxvstorch._pairs import source
from jaxvstorch._pairs.registry import PAIRS, topics


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_a_function_s_source_ends_at_blank_lines(pair, framework) -> None:
    found = source.definition(pair.topic, framework, pair.name)
    (node,) = ast.parse(found).body
    assert node.name == pair.name
    text = source.path(pair.topic, framework).read_text(encoding="utf-8")
    before, _, after = text.partition(found)
    assert before.endswith("\n\n\n")
    assert after == "\n" or after.startswith("\n\n\n")


def test_decorators_belong_to_the_function(monkeypatch, tmp_path) -> None:
    one = "@f.g(\n    1\n)\n@f\ndef one():\n    return 1"
    text = f"import f\n\n\n{one}\n\n\nx = 1\n\n\ndef _two(): ...\n"
    (tmp_path / "topic").mkdir()
    (tmp_path / "topic" / "jax.py").write_text(text)
    monkeypatch.setattr(source, "_EXAMPLES", tmp_path)
    assert source.names("topic", "jax") == ["one"]
    assert source.definition("topic", "jax", "one") == one


def test_a_constant_has_a_definition() -> None:
    found = source.definition("branching", "torch", "_ACTIVATIONS")
    assert found == "_ACTIVATIONS = (torch.tanh, torch.sigmoid, F.silu)"


def test_a_call_goes_by_what_it_calls() -> None:
    found = source.definition("autodiff", "jax", "clip_gradient.defvjp")
    assert found == "clip_gradient.defvjp(_clip_forward, _clip_backward)"


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(LookupError, match=r"branching/jax\.py defines no 'nothing'"):
        source.definition("branching", "jax", "nothing")


@pytest.mark.parametrize("topic", topics())
def test_every_topic_says_what_it_is_about(topic) -> None:
    assert source.summary(topic).endswith(".")


def test_reading_sources_imports_neither_framework() -> None:
    code = (
        "import sys; from jaxvstorch._pairs import source; source.definition('branching', 'jax', "
        "'select_where'); assert not {'jax', 'torch'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    assert ast.parse(source.definition("branching", "torch", "select_where"))
