"""Which lines Python runs, call by call."""

from tracing_programs import X

from jaxvstorch.explainer.lines import lines_run


def test_jax_runs_each_line_on_call_one_and_none_on_call_two(jax, in_jax) -> None:
    function = jax.jit(in_jax.print_in_python)
    lines = ["y = jnp.sin(x)", 'print("y =", y)', "return y + 1"]
    assert [lines_run(function, X) for _ in range(2)] == [lines, []]
    assert lines_run(function, X[:2]) == lines


def test_torch_runs_the_line_that_broke_the_graph_on_each_call(torch, in_torch) -> None:
    x = torch.tensor(X)
    function = torch.compile(in_torch.print_in_python, backend="eager")
    assert [lines_run(function, x) for _ in range(2)] == [['print("y =", y)']] * 2
    function = torch.compile(in_torch.print_in_program, backend="eager")
    assert [lines_run(function, x) for _ in range(2)] == [[], []]


def test_without_compiling_python_runs_each_line_on_each_call(torch, in_torch) -> None:
    function, x = in_torch.print_in_program, torch.tensor(X)
    assert [len(lines_run(function, x)) for _ in range(2)] == [3, 3]
