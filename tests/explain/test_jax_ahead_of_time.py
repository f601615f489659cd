"""Explanations of what ``jax.jit``'s ``trace``, ``lower`` or ``compile`` returned."""

import pytest
from commented_functions import X

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy


def helper(x):
    return jnp.sin(x)


def scores(x, factor=2.0):
    # nothing here
    y = helper(x)
    return y * factor + 1


@pytest.fixture(scope="module")
def traced():
    return jax.jit(scores).trace(X, factor=3.0)


def test_what_was_traced_has_its_lines(traced) -> None:
    explanation = explain(traced)
    assert explanation.function == "scores"
    assert explanation.arguments == ("f32[4]", "factor=f32[]")
    assert explanation.marks() == ["y = helper(x)  # A1", "return y * factor + 1  # A3"]
    assert explanation.marks("helper") == ["return jnp.sin(x)  # A1"]
    assert explanation.programs[0].without_line == {}
    assert "scores  " in str(explanation)
    assert "traced before" in str(explanation)
    assert explanation.with_stages().compiled.operations_after


def test_what_was_lowered_is_its_program(traced) -> None:
    explanation = explain(traced.lower())
    assert (explanation.function, explanation.sources) == ("scores", ())
    assert [stage.name for stage in explanation.compiled.stages] == ["StableHLO"]
    assert explanation.programs[0].operations["A"] == explanation.compiled.operations_before > 0
    assert "its compile() returns" in explanation.missing[0]
    assert explanation.with_stages() is explanation


def test_what_was_compiled_has_kernels_and_lines(traced) -> None:
    explanation = explain(traced.lower().compile(), X, factor=3.0)
    assert explanation.function == "scores"
    assert explanation.framework == "jax"
    assert [stage.name for stage in explanation.compiled.stages] == ["optimised HLO"]
    assert explanation.compiled.kernels
    assert explanation.marks("helper") == ["return jnp.sin(x)  # A1"]
    program = explanation.programs[0]
    placed = sum(sum(line.operations.values()) for s in explanation.sources for line in s.lines)
    assert placed + program.without_line.get("A", 0) == program.operations["A"]
    assert "kernels" in explanation._repr_html_()


def test_a_call_of_what_was_compiled_is_not_traced_again(traced) -> None:
    compiled = traced.lower().compile()
    explain(compiled)
    assert compiled(X, factor=3.0).shape == (4,)
