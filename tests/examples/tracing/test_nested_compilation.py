"""Compiled functions inside compiled functions."""

import numpy as np
from needs import needs_compiler
from tracing_programs import X, operations, primitives


def test_jax_traces_an_inner_jit_once(in_jax, capsys) -> None:
    inner = in_jax.jit(in_jax.examples.print_in_python)
    in_jax.jit(lambda x: inner(inner(inner(x))))(X)
    assert capsys.readouterr().out.count("y = ") == 1
    in_jax.jit(lambda x: in_jax.examples.print_in_python(inner(inner(x))))(X)
    assert capsys.readouterr().out.count("y = ") == 1  # the plain one; the inner one is known


def test_jax_shares_the_inner_program_until_xla_inlines_it(in_jax) -> None:
    j, weights = in_jax, np.eye(3, dtype=np.float32)
    inline = j.stages(j.examples.layers, X, weights, 5, static_argnums=2)
    nested = j.stages(j.examples.nested_layers, X, weights, 5, static_argnums=2)
    assert primitives(inline[0]) == ["sin", "dot_general", "tanh", "add"] * 5
    assert primitives(nested[0]) == ["jit"] * 5
    assert len({id(equation.params["jaxpr"]) for equation in nested[0].eqns}) == 1
    assert [text[1].count("stablehlo.tanh") for text in (inline, nested)] == [5, 1]
    assert nested[1].count("call @nested_layer(") == 5
    assert [text[2].count(" tanh(") for text in (inline, nested)] == [5, 5]


def test_torch_shares_a_nested_region_in_the_graph(in_torch) -> None:
    t, weights = in_torch, in_torch.torch.eye(3)
    (inline,) = t.graphs(t.examples.layers, t.x, weights, 5)
    (nested,) = t.graphs(t.examples.nested_layers, t.x, weights, 5)
    assert operations(inline) == ["sin", "matmul", "tanh", "add"] * 5
    assert operations(nested).count("invoke_subgraph") == 5
    (region,) = (module for _, module in nested.named_children())
    assert operations(region) == ["sin", "matmul", "tanh", "add"]


@needs_compiler
def test_inductor_compiles_a_nested_region_once(in_torch) -> None:
    t = in_torch
    args = t.torch.ones(16), t.torch.eye(16), 5
    inline, nested = (t.code(f, *args) for f in (t.examples.layers, t.examples.nested_layers))
    assert inline.count(".tanh()") >= 5 > nested.count(".tanh()")
    assert nested.count("= repeated_subgraph0(") == 5


def test_torch_compile_inside_torch_compile_is_part_of_the_outer_graph(in_torch) -> None:
    t = in_torch
    inner = t.graph(t.examples.sin_cos)
    (graph,) = t.graphs(lambda x: inner(inner(x)), t.x, fullgraph=True)
    assert operations(graph) == ["sin", "cos", "add"] * 2
