"""Which lines Python runs, call by call."""

from tracing_programs import X

from jaxvstorch.explainer.lines import lines_run


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
