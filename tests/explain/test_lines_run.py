"""``lines_run`` lists what Python ran, and nothing that a compiler did in its place."""

import pytest

from jaxvstorch._explain.lines_run import lines_run


def halved(x):
    if x > 4:
        x = x - 4
    y = sum(part for part in (x, x))
    return y / 4


def test_every_line_of_a_plain_function_in_the_order_it_ran() -> None:
    assert lines_run(halved, 2.0) == [
        "if x > 4:",
        "y = sum(part for part in (x, x))",
        "return y / 4",
    ]
    assert lines_run(halved, x=6.0)[1] == "x = x - 4"


def test_jax_runs_the_lines_to_trace_them_only() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def shifted(x):
        y = jax.numpy.sin(x)
        return y + 1

    function = jax.jit(shifted)
    assert lines_run(function, 1.0) == ["y = jax.numpy.sin(x)", "return y + 1"]
    assert lines_run(function, 2.0) == []


# PyTorch 2.11 says that it cannot trace ``append``, which Python is to run here anyway.
@pytest.mark.filterwarnings("ignore:Dynamo does not know how to trace the builtin:UserWarning")
@pytest.mark.usefixtures("fresh_torch_compile")
def test_torch_leaves_to_python_what_broke_the_graph() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    def shifted(x, seen):
        y = torch.sin(x)
        seen.append(y.tolist())
        z = y + 1
        torch._dynamo.graph_break()
        return z * 2

    function, seen = torch.compile(shifted, backend="eager"), []
    expected = ["seen.append(y.tolist())", "torch._dynamo.graph_break()"]
    assert lines_run(function, torch.zeros(2), seen) == expected
    assert seen == [[0.0, 0.0]]


def test_the_trace_function_of_a_debugger_is_put_back() -> None:
    import sys

    before = sys.gettrace()
    with pytest.raises(TypeError, match="not supported between"):
        lines_run(halved, "text")
    assert sys.gettrace() is before


def test_only_functions_with_a_body_of_their_own() -> None:
    with pytest.raises(TypeError, match="written in Python, not builtin_function_or_method"):
        lines_run(len, [])
    with pytest.raises(ValueError, match="<lambda> is on one line"):
        lines_run(lambda x: x, 1)
