"""Compiled functions inside compiled functions."""

import numpy as np
from needs import needs_compiler
from programs import graphs, operations, primitives
from tracing_programs import X, code, stages


def test_jax_traces_an_inner_jit_once(jax, in_jax, capsys) -> None:
    inner = jax.jit(in_jax.print_in_python)
    jax.jit(lambda x: inner(inner(inner(x))))(X)
    assert capsys.readouterr().out.count("y = ") == 1
    jax.jit(lambda x: in_jax.print_in_python(inner(inner(x))))(X)
    assert capsys.readouterr().out.count("y = ") == 1  # the plain one; the inner one is known


def test_jax_shares_the_inner_program_until_xla_inlines_it(jax, in_jax) -> None:
    weights = np.eye(3, dtype=np.float32)
    inline = stages(jax, in_jax.layers, X, weights, 5, static_argnums=2)
    nested = stages(jax, in_jax.nested_layers, X, weights, 5, static_argnums=2)
    assert primitives(inline[0]) == ["sin", "dot_general", "tanh", "add"] * 5
    assert primitives(nested[0]) == ["jit"] * 5
    assert len({id(equation.params["jaxpr"]) for equation in nested[0].eqns}) == 1
    assert [text[1].count("stablehlo.tanh") for text in (inline, nested)] == [5, 1]
    assert nested[1].count("call @nested_layer(") == 5
    assert [text[2].count(" tanh(") for text in (inline, nested)] == [5, 5]


def test_torch_shares_a_nested_region_in_the_graph(torch, in_torch) -> None:
    x, weights = torch.tensor(X), torch.eye(3)
    (inline,) = graphs(torch, in_torch.layers, x, weights, 5)
    (nested,) = graphs(torch, in_torch.nested_layers, x, weights, 5)
    assert operations(inline) == ["sin", "matmul", "tanh", "add"] * 5
    assert operations(nested).count("invoke_subgraph") == 5
    (region,) = (module for _, module in nested.named_children())
    assert operations(region) == ["sin", "matmul", "tanh", "add"]


@needs_compiler
def test_inductor_compiles_a_nested_region_once(torch, in_torch) -> None:
    args = torch.ones(16), torch.eye(16), 5
    inline, nested = (code(torch, f, *args) for f in (in_torch.layers, in_torch.nested_layers))
    assert inline.count(".tanh()") >= 5 > nested.count(".tanh()")
    assert nested.count("= repeated_subgraph0(") == 5


def test_torch_compile_inside_torch_compile_is_part_of_the_outer_graph(torch, in_torch) -> None:
    inner = torch.compile(in_torch.sin_cos, backend="eager")
    (graph,) = graphs(torch, lambda x: inner(inner(x)), torch.tensor(X), fullgraph=True)
    assert operations(graph) == ["sin", "cos", "add"] * 2
