"""The stages of a function."""

import re

from needs import needs_compiler
from programs import graphs, operations, primitives
from tracing_programs import X, code, stages


def test_jax_stages_of_sin_cos(jax, in_jax) -> None:
    jaxpr, stablehlo, hlo = stages(jax, in_jax.sin_cos, X)
    assert primitives(jaxpr) == ["sin", "cos", "add"]
    assert re.findall(r"stablehlo\.(\w+)", stablehlo) == ["sine", "cosine", "add"]
    assert hlo.count(" fusion(") == 1  # all three in one pass over memory


def test_torch_graph_of_sin_cos(torch, in_torch) -> None:
    (graph,) = graphs(torch, in_torch.sin_cos, torch.tensor(X))
    assert operations(graph) == ["sin", "cos", "add"]


@needs_compiler
def test_inductor_makes_one_loop_of_sin_cos(torch, in_torch) -> None:
    kernel = code(torch, in_torch.sin_cos, torch.ones(16))
    assert kernel.count("async_compile.cpp_pybinding(") == 1
    assert kernel.count("for(") == 1
    assert all(kernel.count(operation) == 1 for operation in (".sin()", ".cos()", ".store("))


def test_jax_repeats_a_subexpression_until_xla_removes_it(jax, in_jax) -> None:
    jaxpr, stablehlo, hlo = stages(jax, in_jax.three_ratios, X, X)
    assert primitives(jaxpr).count("div") == 3
    assert stablehlo.count("stablehlo.divide") == 3
    assert hlo.count(" divide(") == 1


@needs_compiler
def test_torch_repeats_a_subexpression_until_inductor_removes_it(torch, in_torch) -> None:
    x = torch.ones(16)
    (graph,) = graphs(torch, in_torch.three_ratios, x, x)
    assert operations(graph).count("truediv") == 3
    torch.compiler.reset()
    kernel = code(torch, in_torch.three_ratios, x, x + 1)
    assert len(re.findall(r"= tmp\d+ / tmp\d+;", kernel)) == 1
