"""The stages of a function."""

import re

from needs import needs_compiler
from tracing_programs import X, operations, primitives


def test_jax_stages_of_sin_cos(in_jax) -> None:
    jaxpr, stablehlo, hlo = in_jax.stages(in_jax.examples.sin_cos, X)
    assert primitives(jaxpr) == ["sin", "cos", "add"]
    assert re.findall(r"stablehlo\.(\w+)", stablehlo) == ["sine", "cosine", "add"]
    assert hlo.count(" fusion(") == 1  # all three in one pass over memory


def test_torch_graph_of_sin_cos(in_torch) -> None:
    (graph,) = in_torch.graphs(in_torch.examples.sin_cos, in_torch.x)
    assert operations(graph) == ["sin", "cos", "add"]


@needs_compiler
def test_inductor_makes_one_loop_of_sin_cos(in_torch) -> None:
    code = in_torch.code(in_torch.examples.sin_cos, in_torch.torch.ones(16))
    assert code.count("async_compile.cpp_pybinding(") == 1
    assert code.count("for(") == 1
    assert all(code.count(operation) == 1 for operation in (".sin()", ".cos()", ".store("))


def test_jax_repeats_a_subexpression_until_xla_removes_it(in_jax) -> None:
    jaxpr, stablehlo, hlo = in_jax.stages(in_jax.examples.three_ratios, X, X)
    assert primitives(jaxpr).count("div") == 3
    assert stablehlo.count("stablehlo.divide") == 3
    assert hlo.count(" divide(") == 1


@needs_compiler
def test_torch_repeats_a_subexpression_until_inductor_removes_it(in_torch) -> None:
    t, x = in_torch, in_torch.torch.ones(16)
    (graph,) = t.graphs(t.examples.three_ratios, x, x)
    assert operations(graph).count("truediv") == 3
    t.torch.compiler.reset()
    kernel = t.code(t.examples.three_ratios, x, x + 1)
    assert len(re.findall(r"= tmp\d+ / tmp\d+;", kernel)) == 1
