"""What the tracing page says of stages, prints, lines, retraces and nested compilation."""

import logging
import re
from types import SimpleNamespace

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch import ledger
from jaxvstorch.explainer.lines import lines_run

FACTOR = 2.0


def numbers(n: int, dtype=np.float32):
    return np.arange(1, n + 1).astype(dtype)


X = numbers(3)

# One list for both frameworks: what differs from the first call, and the arguments of ``affine``.
AFFINE_CALLS = {
    "nothing: the first call": (X, 2.0, X, False),
    "values": (X + 1, 2.0, X, False),
    "a Python number": (X, 3.0, X, False),
    "another one": (X, 4.0, X, False),
    "an integer": (X, 3, X, False),
    "an array without axes": (X, np.float32(2), X, False),
    "the shape": (numbers(4), 2.0, numbers(4), False),
    "the shape again": (numbers(5), 2.0, numbers(5), False),
    "the dtype": (numbers(3, np.float16), 2.0, numbers(3, np.float16), False),
    "the structure": (X, 2.0, None, False),
    "the static value": (X, 2.0, X, True),
    "nothing": (X, 2.0, X, False),
}


def scaled_by_global(x):
    return FACTOR * x


@pytest.fixture
def in_jax() -> SimpleNamespace:
    """JAX without memory: a second ``jax.jit`` of a function would reuse what the first made."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.clear_caches()
    from jaxvstorch.examples.tracing import jax as examples

    def stages(function, *args, **options):
        """A function's jaxpr, its StableHLO, and the HLO that XLA made of it."""
        lowered = jax.jit(function, **options).lower(*args)
        jaxpr = jax.make_jaxpr(function, static_argnums=options.get("static_argnums", ()))(*args)
        return jaxpr.jaxpr, lowered.as_text(), lowered.compile().as_text()

    return SimpleNamespace(jax=jax, jnp=jax.numpy, jit=jax.jit, stages=stages, examples=examples)


@pytest.fixture
def in_torch(fresh_torch_compile: None) -> SimpleNamespace:
    """PyTorch without memory. ``graph`` compiles without Inductor; ``graphs`` lists graphs."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from jaxvstorch.examples.tracing import torch as examples

    def graph(function, **options):
        return torch.compile(function, backend="eager", **options)

    def graphs(function, *args, **options):
        found = []

        def keep(module, inputs):
            found.append(module)
            return module.forward

        torch.compile(function, backend=keep, **options)(*args)
        return found

    def code(function, *args):
        """What Inductor wrote: Python that calls C++ kernels, and the kernels."""
        from torch._inductor.utils import run_and_get_code

        return run_and_get_code(torch.compile(function, fullgraph=True), *args)[1][0]

    return SimpleNamespace(
        torch=torch, graph=graph, graphs=graphs, code=code, examples=examples,
        x=torch.from_numpy(X.copy()), Unsupported=torch._dynamo.exc.Unsupported,
    )  # fmt: skip


def operations(module) -> list[str]:
    """What a graph calls, in order."""
    nodes = [node for node in module.graph.nodes if node.op.startswith("call_")]
    return [getattr(node.target, "__name__", str(node.target)) for node in nodes]


def primitives(jaxpr) -> list[str]:
    return [str(equation.primitive) for equation in jaxpr.eqns]


# The stages.


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


# Print.


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


# Lines.


def test_jax_runs_each_line_on_call_one_and_none_on_call_two(in_jax) -> None:
    function = in_jax.jit(in_jax.examples.print_in_python)
    lines = ["y = jnp.sin(x)", 'print("y =", y)', "return y + 1"]
    assert [lines_run(function, X) for _ in range(2)] == [lines, []]
    assert lines_run(function, X[:2]) == lines


def test_torch_runs_the_line_that_broke_the_graph_on_each_call(in_torch) -> None:
    t = in_torch
    function = t.graph(t.examples.print_in_python)
    assert [lines_run(function, t.x) for _ in range(2)] == [['print("y =", y)']] * 2
    function = t.graph(t.examples.print_in_program)
    assert [lines_run(function, t.x) for _ in range(2)] == [[], []]


def test_without_compiling_python_runs_each_line_on_each_call(in_torch) -> None:
    function, x = in_torch.examples.print_in_program, in_torch.x
    assert [len(lines_run(function, x)) for _ in range(2)] == [3, 3]


# What makes them trace again.


def test_jax_ledger_of_affine(in_jax) -> None:
    function = in_jax.jit(in_jax.examples.affine, static_argnames="squared")
    book = ledger(function, AFFINE_CALLS.values())
    assert book.traces == [1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0]
    assert book.programs == book.traces


def test_torch_ledger_of_affine(in_torch) -> None:
    from jaxvstorch.frameworks.torch import from_numpy

    calls = [tuple(map(from_numpy, call)) for call in AFFINE_CALLS.values()]
    book = ledger(in_torch.graph(in_torch.examples.affine), calls)
    assert book.traces == [1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]
    assert book.programs == book.traces


def test_jax_weak_type_is_part_of_the_type(in_jax) -> None:
    calls = [(1.0,), (2.0,), (np.float32(1),), (1,), (True,)]
    book = ledger(in_jax.jit(in_jax.examples.sin_cos), calls)
    assert book.traces == [1, 0, 1, 1, 1]
    assert "weak_type=False" in book.rows()[2][-1]


def test_jax_traces_again_in_another_context(in_jax) -> None:
    j, square = in_jax, np.ones((2, 2), np.float32)
    function = j.jit(j.examples.matmul)
    assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    with j.jax.default_matmul_precision("float32"):
        assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    with j.jax.enable_x64(True):
        assert ledger(function, [(square, square)] * 2).traces == [1, 0]
    assert ledger(function, [(square, square)]).traces == [0]


def test_torch_traces_again_in_another_grad_mode(in_torch) -> None:
    t = in_torch
    function = t.graph(t.examples.sin_cos)
    assert ledger(function, [(t.x,)] * 2).traces == [1, 0]
    with t.torch.no_grad():
        book = ledger(function, [(t.x,)] * 2)
        assert book.traces == [1, 0]
        assert "grad_mode" in book.rows()[0][-1]
    assert ledger(function, [(t.x.clone().requires_grad_(),)] * 2).traces == [1, 0]
    assert ledger(function, [(t.x,)]).traces == [0]


def test_torch_traces_again_for_another_memory_layout(in_torch) -> None:
    square = in_torch.torch.ones(2, 2)
    book = ledger(in_torch.graph(in_torch.examples.matmul), [(square, square), (square.T, square)])
    assert book.traces == [1, 1]
    assert "stride mismatch" in book.rows()[1][-1]


@pytest.mark.parametrize(("framework", "traces", "answer"), [("jax", 0, 2), ("torch", 1, 5)])
def test_a_global_is_frozen_in_jax_and_guarded_in_torch(
    framework, traces, answer, request, monkeypatch
) -> None:
    if framework == "jax":
        function, x = request.getfixturevalue("in_jax").jit(scaled_by_global), X
    else:
        t = request.getfixturevalue("in_torch")
        function, x = t.graph(scaled_by_global), t.x
    assert ledger(function, [(x,)] * 2).traces == [1, 0]
    monkeypatch.setitem(scaled_by_global.__globals__, "FACTOR", 5.0)
    assert ledger(function, [(x,)]).traces == [traces]
    np.testing.assert_array_equal(np.asarray(function(x)), answer * X)


def test_jax_traces_again_for_another_container(in_jax) -> None:
    calls = [([X, X],), ((X, X),), ([X],), ([X, X],)]
    assert ledger(in_jax.jit(lambda arrays: sum(arrays)), calls).traces == [1, 1, 1, 0]


def test_torch_traces_again_for_another_container(in_torch) -> None:
    x = in_torch.x
    calls = [([x, x],), ((x, x),), ([x],), ([x, x],)]
    assert ledger(in_torch.graph(lambda arrays: sum(arrays)), calls).traces == [1, 1, 1, 0]


def test_a_second_wrapper_of_the_same_function_finds_what_the_first_made(in_jax) -> None:
    first, second = (in_jax.jit(in_jax.examples.sin_cos) for _ in range(2))
    assert ledger(first, [(X,)]).traces == [1]
    assert ledger(second, [(X,)]).traces == [0]


def test_a_second_compile_of_the_same_function_finds_what_the_first_made(in_torch) -> None:
    first, second = (in_torch.graph(in_torch.examples.sin_cos) for _ in range(2))
    assert ledger(first, [(in_torch.x,)]).traces == [1]
    assert ledger(second, [(in_torch.x,)]).traces == [0]


# Compiled functions inside compiled functions.


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


# The cost model.


def test_jax_reports_three_stages_on_the_first_call_and_none_later(in_jax) -> None:
    monitoring, seen = in_jax.jax.monitoring, []

    def listen(event, seconds, **kwargs):
        if kwargs.get("fun_name") in ("sin_cos", "jit(sin_cos)"):
            assert seconds > 0
            seen.append(event.rpartition("/")[-1])

    function = in_jax.jit(in_jax.examples.sin_cos)
    monitoring.register_event_duration_secs_listener(listen)
    try:
        for _ in range(2):
            function(X)
    finally:
        monitoring.unregister_event_duration_listener(listen)
    stages = ["jaxpr_trace", "jaxpr_to_mlir_module", "backend_compile"]
    assert seen == [f"{stage}_duration" for stage in stages]


def test_jax_stages_can_be_taken_one_by_one_and_are_kept(in_jax) -> None:
    function = in_jax.jit(in_jax.examples.sin_cos)
    compiled = function.trace(X).lower().compile()
    np.testing.assert_allclose(compiled(X), np.sin(X) + np.cos(X), rtol=1e-6)
    assert ledger(function, [(X,)]).programs == [0]
    with pytest.raises(TypeError, match="compiled"):
        compiled(X[:2])  # a compiled program takes no other shape, and does not compile again


@needs_compiler
def test_torch_reports_its_stages_on_the_first_call_and_none_later(in_torch) -> None:
    from torch._dynamo.utils import get_compilation_metrics
    from torch._inductor.utils import fresh_cache

    t = in_torch
    with fresh_cache():
        function = t.torch.compile(t.examples.polynomial_sum)
        function(t.x)
        metrics = get_compilation_metrics()[-1]
        assert metrics.co_name == "polynomial_sum"
        stages = (
            metrics.duration_us,
            metrics.aot_autograd_cumulative_compile_time_us,
            metrics.inductor_code_gen_cumulative_compile_time_us,
        )
        assert list(stages) == sorted(stages, reverse=True)  # each is a part of the one before
        assert stages[-1] > 0
        function(t.x)
        assert get_compilation_metrics()[-1] is metrics


# What is refused.


def test_shapes_that_do_not_fit_are_refused_while_tracing(in_jax) -> None:
    a, b = np.ones((2, 2), np.float32), np.ones((3, 3), np.float32)
    with pytest.raises(TypeError, match="contracting dimensions to have the same shape"):
        in_jax.jit(in_jax.examples.matmul)(a, b)
    with pytest.raises(TypeError, match="non-array argument"):
        in_jax.jit(in_jax.examples.sin_cos)("text")


def test_shapes_that_do_not_fit_are_refused_by_torch(in_torch) -> None:
    t = in_torch
    a, b = t.torch.ones(2, 2), t.torch.ones(3, 3)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        t.examples.matmul(a, b)
    logging.disable(logging.CRITICAL)  # it also logs the whole stack as an error
    try:
        with pytest.raises(t.torch._dynamo.exc.TorchRuntimeError, match="same reduction dim"):
            t.graph(t.examples.matmul)(a, b)
    finally:
        logging.disable(logging.NOTSET)


def test_jax_promotes_dtypes_that_torch_refuses(in_jax, in_torch) -> None:
    single, half = np.ones((2, 2), np.float32), np.ones((2, 2), np.float16)
    assert in_jax.jit(in_jax.examples.matmul)(single, half).dtype == np.float32
    with pytest.raises(RuntimeError, match="same dtype"):
        in_torch.examples.matmul(*map(in_torch.torch.from_numpy, (single, half)))
