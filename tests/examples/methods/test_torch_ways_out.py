"""``torch.compiler``'s ways out of a graph: ``disable``, stances and ``allow_in_graph``."""

import numpy as np
import pytest
from method_programs import programs

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


@pytest.fixture
def x(torch):
    return torch.arange(4.0)


def add_one(x):
    return x + 1


def test_numpy_is_traced_where_pytorch_has_the_function(torch, x) -> None:
    def sine(x):
        return torch.from_numpy(np.sin(x.numpy()))

    def interpolated(x):
        return torch.from_numpy(np.interp(x.numpy(), (0, 1), (0, 1)))

    whole = torch.compile(sine, backend="eager", fullgraph=True)
    assert programs(torch, whole, (x,)) == [1]
    assert programs(torch, torch.compile(interpolated, backend="eager"), (x,), (x,)) == [2, 0]
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match=r"Can't find numpy.*interp"):
        torch.compile(interpolated, backend="eager", fullgraph=True)(x)


def test_traced_numpy_has_a_gradient_which_numpy_has_not(torch, x) -> None:
    def sine(x):
        return torch.from_numpy(np.sin(x.numpy()))

    x = x.requires_grad_()
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        sine(x)
    compiled = torch.compile(sine, backend="aot_eager", fullgraph=True)
    (gradient,) = torch.autograd.grad(compiled(x).sum(), x)
    torch.testing.assert_close(gradient, torch.cos(x.detach()))


def test_disable_breaks_the_graph_in_two(torch, in_torch, x) -> None:
    compiled = torch.compile(in_torch.calibrated_between, backend="eager")
    assert programs(torch, compiled, (x,), (x,)) == [2, 0]


def test_disable_is_an_error_with_fullgraph_which_gives_the_reason(torch, in_torch, x) -> None:
    compiled = torch.compile(in_torch.calibrated_between, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="NumPy looks it up"):
        compiled(x)


def test_what_is_called_inside_is_not_compiled_either_unless_you_ask(torch, x) -> None:
    def outer(x):
        return add_one(x)

    for recursive, expected in ((True, 0), (False, 1)):
        torch.compiler.reset()
        disabled = torch.compiler.disable(outer, recursive=recursive)
        compiled = torch.compile(lambda x, f=disabled: f(2 * x) * 3, backend="eager")
        assert programs(torch, compiled, (x,)) == [2 + expected]


def test_force_eager_compiles_nothing_and_forgets_nothing(torch, x) -> None:
    compiled = torch.compile(add_one, backend="eager")
    with torch.compiler.set_stance("force_eager"):
        assert programs(torch, compiled, (x,)) == [0]
    assert programs(torch, compiled, (x,), (x,)) == [1, 0]


def test_fail_on_recompile_says_which_guard_failed(torch, x) -> None:
    compiled = torch.compile(add_one, backend="eager")
    compiled(x)
    with torch.compiler.set_stance("fail_on_recompile"):
        compiled(x)
        with pytest.raises(RuntimeError, match="expected Float, actual Double"):
            compiled(x.double())


def test_fail_on_recompile_refuses_a_first_call_too(torch, x) -> None:
    with (
        torch.compiler.set_stance("fail_on_recompile"),
        pytest.raises(RuntimeError, match="Detected recompile"),
    ):
        torch.compile(add_one, backend="eager")(x)


def test_eager_on_recompile_uses_what_is_there_and_compiles_nothing_new(torch, x) -> None:
    compiled = torch.compile(add_one, backend="eager")
    with torch.compiler.set_stance("eager_on_recompile"):
        assert programs(torch, compiled, (x,)) == [0]
    assert programs(torch, compiled, (x,)) == [1]
    with torch.compiler.set_stance("eager_on_recompile"):
        assert programs(torch, compiled, (x,), (x.double(),)) == [0, 0]
    assert programs(torch, compiled, (x.double(),)) == [1]


def test_a_stance_that_is_none_is_found_at_the_next_call(torch, x) -> None:
    with torch.compiler.set_stance("nonsense"), pytest.raises(RuntimeError, match="nonsense"):
        torch.compile(add_one, backend="eager")(x)
    torch.compile(add_one, backend="eager")(x)


def test_a_stance_cannot_be_set_inside(torch, x) -> None:
    def inside(x):
        with torch.compiler.set_stance("force_eager"):
            return x + 1

    with pytest.raises(AssertionError, match="forbidden callable <function set_stance"):
        torch.compile(inside, backend="eager", fullgraph=True)(x)


@pytest.fixture
def allowed(torch):
    """A function that is allowed in a graph, and reads a dictionary."""
    scales = {"of": 2.0}

    def scaled(x):
        return scales["of"] * x

    torch.compiler.allow_in_graph(scaled)
    scaled.scales = scales
    return scaled


def test_dynamo_does_not_look_into_what_is_allowed(torch, allowed, x) -> None:
    targets = []

    def keep(graph, inputs):
        targets.extend(node.target for node in graph.graph.nodes if node.op == "call_function")
        return graph

    torch.compile(lambda x: allowed(x), backend=keep, fullgraph=True)(x)
    assert targets == [allowed]


def test_what_it_reads_is_not_guarded_and_frozen_by_the_backend(torch, allowed, x) -> None:
    for backend, expected in (("eager", 10), ("aot_eager", 2)):
        torch.compiler.reset()
        allowed.scales["of"] = 2.0
        compiled = torch.compile(lambda x: allowed(x), backend=backend, fullgraph=True)
        compiled(x)
        allowed.scales["of"] = 10.0
        assert compiled(x)[1] == expected


def test_numpy_is_not_allowed_in_a_graph(torch, x) -> None:
    def interpolated(x):
        return torch.from_numpy(np.interp(x.numpy(), (0, 1), (0, 1)))

    torch.compiler.allow_in_graph(interpolated)
    with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match=r"\.numpy\(\) is not supported"):
        torch.compile(lambda x: interpolated(x), backend="eager", fullgraph=True)(x)
