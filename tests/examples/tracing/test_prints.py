"""Prints, in Python and in the program."""

import logging

import numpy as np
import pytest
from needs import needs_compiler
from programs import graphs, operations, primitives
from tracing_programs import X, code, stages


def test_jax_prints_a_tracer_once_per_trace(jax, in_jax, capsys) -> None:
    function = jax.jit(in_jax.print_in_python)
    for x in (X, X + 1, X[:2]):
        function(x)
    assert capsys.readouterr().out == "y = JitTracer(float32[3])\ny = JitTracer(float32[2])\n"


def test_jax_prints_values_where_nothing_is_traced(jax, in_jax, capsys) -> None:
    for _ in range(2):
        in_jax.print_in_python(jax.numpy.zeros(1))
    assert capsys.readouterr().out == "y = [0.]\n" * 2


def test_jax_debug_print_prints_values_in_each_call(jax, in_jax, capsys) -> None:
    function = jax.jit(in_jax.print_in_program)
    for _ in range(2):
        function(np.zeros(1, np.float32))
    jax.effects_barrier()
    assert capsys.readouterr().out == "y = [0.]\n" * 2
    jaxpr, _, hlo = stages(jax, in_jax.print_in_program, X)
    assert primitives(jaxpr) == ["sin", "debug_print", "add"]
    # The printed sine is an output of its own, so XLA computes it a second time for the sum.
    assert hlo.count(" sine(") == 2


def test_jax_debug_print_of_an_f_string_prints_the_tracer(jax, capsys) -> None:
    def printing(x):
        jax.debug.print(f"x = {x}")
        return x

    jax.jit(printing)(1.0)
    jax.effects_barrier()
    assert "Tracer" in capsys.readouterr().out


def test_jax_tracers_have_no_value_to_format_or_convert(jax) -> None:
    with pytest.raises(TypeError, match="unsupported format string"):
        jax.jit(lambda x: print(f"{x:.2f}"))(1.0)
    with pytest.raises(jax.errors.ConcretizationTypeError, match="`float` function"):
        jax.jit(lambda x: print(float(x)))(1.0)


def test_torch_prints_values_in_each_call_between_two_graphs(torch, in_torch, capsys) -> None:
    function = torch.compile(in_torch.print_in_python, backend="eager")
    for _ in range(2):
        function(torch.zeros(1))
    assert capsys.readouterr().out == "y = tensor([0.])\n" * 2
    found = torch._dynamo.explain(in_torch.print_in_python)(torch.tensor(X))
    assert (found.graph_count, found.graph_break_count) == (2, 1)
    assert "builtin operator `print`" in found.break_reasons[0].reason


def test_torch_fullgraph_makes_an_error_of_a_print(torch, in_torch) -> None:
    with pytest.raises(torch._dynamo.exc.Unsupported, match="builtin operator `print`"):
        torch.compile(in_torch.print_in_python, backend="eager", fullgraph=True)(torch.tensor(X))


def test_torch_prints_from_inside_the_graph(torch, in_torch, capsys) -> None:
    function = torch.compile(in_torch.print_in_program, backend="eager", fullgraph=True)
    for _ in range(2):
        function(torch.zeros(1))
    assert capsys.readouterr().out == "y = tensor([0.])\n" * 2
    torch.compiler.reset()
    (graph,) = graphs(torch, in_torch.print_in_program, torch.tensor(X), fullgraph=True)
    assert operations(graph) == ["sin", "print", "add"]


def test_torch_print_in_a_graph_works_without_compiling_but_not_under_transforms(
    torch, in_torch
) -> None:
    x = torch.tensor(X)
    in_torch.print_in_program(x)
    with pytest.raises(KeyError, match="Vmap"):
        torch.vmap(in_torch.print_in_program)(x)
    with pytest.raises(KeyError, match="Grad"):
        torch.func.grad(lambda x: in_torch.print_in_program(x).sum())(x)


def test_jax_debug_print_works_under_transforms(jax, in_jax, capsys) -> None:
    jax.vmap(in_jax.print_in_program)(jax.numpy.zeros((2, 1)))
    jax.grad(lambda x: in_jax.print_in_program(x).sum())(jax.numpy.zeros(1))
    jax.effects_barrier()
    assert capsys.readouterr().out == "y = [0.]\n" * 3


def test_torch_can_move_a_print_behind_the_graph(torch, in_torch, capsys) -> None:
    x = torch.tensor(X)
    with torch._dynamo.config.patch(reorderable_logging_functions={print}):
        (graph,) = graphs(torch, in_torch.print_in_python, torch.zeros(1), fullgraph=True)
        assert capsys.readouterr().out == "y = tensor([0.])\n"
        assert operations(graph) == ["sin", "add"]
        assert len(graph(x)) == 2  # the sine goes out of the graph to be printed
        with pytest.raises(torch._dynamo.exc.Unsupported, match="reorder"):
            torch.compile(lambda x: print(x.mean().item()), backend="eager", fullgraph=True)(x)


def test_torch_breaks_at_loggers_too(torch) -> None:
    logger = logging.getLogger("jaxvstorch.nobody")
    once = torch._logging.warning_once
    for log in (lambda x: logger.warning("seen"), lambda x: once(logger, "seen")):
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(log, backend="eager", fullgraph=True)(torch.tensor(X))


@needs_compiler
def test_a_print_in_a_graph_makes_inductor_store_what_is_printed(torch, in_torch) -> None:
    x = torch.ones(16)
    assert code(torch, in_torch.print_in_program, x).count(".store(") == 2


def test_torch_traces_numpy_calls(torch) -> None:
    (graph,) = graphs(torch, lambda x: np.sin(x) + np.cos(x), X, fullgraph=True)
    assert len(operations(graph)) >= 3


def test_jax_debug_print_takes_a_number_format_for_a_single_number_only(jax, capsys) -> None:
    logging.getLogger("jax._src.debugging").addFilter(hide := lambda record: False)
    jax.debug.print("{x:.2f}", x=jax.numpy.float32(1))
    with pytest.raises(TypeError, match="format"):
        jax.debug.print("{x:.2f}", x=jax.numpy.ones(2))
    logging.getLogger("jax._src.debugging").removeFilter(hide)
    assert capsys.readouterr().out == "1.00\n"
