"""Prints, in Python and in the program."""

import logging

import numpy as np
import pytest
from needs import needs_compiler
from tracing_programs import X, operations, primitives


def test_jax_prints_a_tracer_once_per_trace(in_jax, capsys) -> None:
    function = in_jax.jit(in_jax.examples.print_in_python)
    for x in (X, X + 1, X[:2]):
        function(x)
    assert capsys.readouterr().out == "y = JitTracer(float32[3])\ny = JitTracer(float32[2])\n"


def test_jax_prints_values_where_nothing_is_traced(in_jax, capsys) -> None:
    for _ in range(2):
        in_jax.examples.print_in_python(in_jax.jnp.zeros(1))
    assert capsys.readouterr().out == "y = [0.]\n" * 2


def test_jax_debug_print_prints_values_in_each_call(in_jax, capsys) -> None:
    j = in_jax
    function = j.jit(j.examples.print_in_program)
    for _ in range(2):
        function(np.zeros(1, np.float32))
    j.jax.effects_barrier()
    assert capsys.readouterr().out == "y = [0.]\n" * 2
    jaxpr, _, hlo = j.stages(j.examples.print_in_program, X)
    assert primitives(jaxpr) == ["sin", "debug_print", "add"]
    # The printed sine is an output of its own, so XLA computes it a second time for the sum.
    assert hlo.count(" sine(") == 2


def test_jax_debug_print_of_an_f_string_prints_the_tracer(in_jax, capsys) -> None:
    def printing(x):
        in_jax.jax.debug.print(f"x = {x}")
        return x

    in_jax.jit(printing)(1.0)
    in_jax.jax.effects_barrier()
    assert "Tracer" in capsys.readouterr().out


def test_jax_tracers_have_no_value_to_format_or_convert(in_jax) -> None:
    with pytest.raises(TypeError, match="unsupported format string"):
        in_jax.jit(lambda x: print(f"{x:.2f}"))(1.0)
    with pytest.raises(in_jax.jax.errors.ConcretizationTypeError, match="`float` function"):
        in_jax.jit(lambda x: print(float(x)))(1.0)


def test_torch_prints_values_in_each_call_between_two_graphs(in_torch, capsys) -> None:
    t = in_torch
    function = t.graph(t.examples.print_in_python)
    for _ in range(2):
        function(t.torch.zeros(1))
    assert capsys.readouterr().out == "y = tensor([0.])\n" * 2
    found = t.torch._dynamo.explain(t.examples.print_in_python)(t.x)
    assert (found.graph_count, found.graph_break_count) == (2, 1)
    assert "builtin operator `print`" in found.break_reasons[0].reason


def test_torch_fullgraph_makes_an_error_of_a_print(in_torch) -> None:
    with pytest.raises(in_torch.Unsupported, match="builtin operator `print`"):
        in_torch.graph(in_torch.examples.print_in_python, fullgraph=True)(in_torch.x)


def test_torch_prints_from_inside_the_graph(in_torch, capsys) -> None:
    t = in_torch
    function = t.graph(t.examples.print_in_program, fullgraph=True)
    for _ in range(2):
        function(t.torch.zeros(1))
    assert capsys.readouterr().out == "y = tensor([0.])\n" * 2
    t.torch.compiler.reset()
    (graph,) = t.graphs(t.examples.print_in_program, t.x, fullgraph=True)
    assert operations(graph) == ["sin", "print", "add"]


def test_torch_print_in_a_graph_works_without_compiling_but_not_under_transforms(in_torch) -> None:
    t = in_torch
    t.examples.print_in_program(t.x)
    with pytest.raises(KeyError, match="Vmap"):
        t.torch.vmap(t.examples.print_in_program)(t.x)
    with pytest.raises(KeyError, match="Grad"):
        t.torch.func.grad(lambda x: t.examples.print_in_program(x).sum())(t.x)


def test_jax_debug_print_works_under_transforms(in_jax, capsys) -> None:
    j = in_jax
    j.jax.vmap(j.examples.print_in_program)(j.jnp.zeros((2, 1)))
    j.jax.grad(lambda x: j.examples.print_in_program(x).sum())(j.jnp.zeros(1))
    j.jax.effects_barrier()
    assert capsys.readouterr().out == "y = [0.]\n" * 3


def test_torch_can_move_a_print_behind_the_graph(in_torch, capsys) -> None:
    t = in_torch
    with t.torch._dynamo.config.patch(reorderable_logging_functions={print}):
        (graph,) = t.graphs(t.examples.print_in_python, t.torch.zeros(1), fullgraph=True)
        assert capsys.readouterr().out == "y = tensor([0.])\n"
        assert operations(graph) == ["sin", "add"]
        assert len(graph(t.x)) == 2  # the sine goes out of the graph to be printed
        with pytest.raises(t.Unsupported, match="reorder"):
            t.graph(lambda x: print(x.mean().item()), fullgraph=True)(t.x)


def test_torch_breaks_at_loggers_too(in_torch) -> None:
    t, logger = in_torch, logging.getLogger("jaxvstorch.nobody")
    once = t.torch._logging.warning_once
    for log in (lambda x: logger.warning("seen"), lambda x: once(logger, "seen")):
        with pytest.raises(t.Unsupported):
            t.graph(log, fullgraph=True)(t.x)


@needs_compiler
def test_a_print_in_a_graph_makes_inductor_store_what_is_printed(in_torch) -> None:
    x = in_torch.torch.ones(16)
    assert in_torch.code(in_torch.examples.print_in_program, x).count(".store(") == 2


def test_torch_traces_numpy_calls(in_torch) -> None:
    (graph,) = in_torch.graphs(lambda x: np.sin(x) + np.cos(x), X, fullgraph=True)
    assert len(operations(graph)) >= 3
