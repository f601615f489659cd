"""Every kind of function that ``torch.compile`` and PyTorch's modules make."""

import functools

import pytest
from commented_functions import check_comments, check_kind

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


def operations(x):
    y = torch.sin(x) + 1  # -> A2
    z = y  # -> traced
    # nothing here

    return z * 2  # -> A1


class _Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 3)

    def forward(self, x):
        x = self.inner(x)  # -> A1
        return torch.tanh(x)  # -> A1


class _Scale:
    factor = 2.0

    @torch.compile
    def __call__(self, x):
        return torch.sin(x) * self.factor  # -> A2

    @torch.compile(fullgraph=True)
    def times(self, x, factor=2):
        return x * factor  # -> A1

    @classmethod
    @torch.compile
    def plain(cls, x):
        return x * cls.factor  # -> A1

    @torch.compile(fullgraph=True)
    def printed(self, x):
        print(x)  # -> failed ! failed
        return x  # -> not reached


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(_Scale(), "_Scale.__call__", id="call"),
        pytest.param(_Scale().times, "_Scale.times", id="method"),
        pytest.param(functools.partial(_Scale().times, factor=3), "_Scale.times", id="partial"),
        pytest.param(_Scale.plain, "_Scale.plain", id="class method"),
    ],
)
def test_compiled_methods(function, name) -> None:
    check_kind(explain(function, torch.ones(4)), "torch", name)


def test_a_compiled_method_keeps_its_options() -> None:
    explanation = explain(_Scale().printed, torch.ones(4))
    assert len(explanation.found("failed")) == 1
    check_comments(explanation)


def compiled_in_place(module):
    module.compile(backend="eager")
    return module


@pytest.mark.parametrize(
    ("function", "name"),
    [
        pytest.param(torch.compile(operations, fullgraph=True), "operations", id="fullgraph"),
        pytest.param(torch.compile(operations, backend="eager"), "operations", id="backend"),
        pytest.param(torch.compile(operations, dynamic=True), "operations", id="dynamic"),
        pytest.param(torch.compile(mode="reduce-overhead")(operations), "operations", id="mode"),
        pytest.param(_Net(), "_Net.forward", id="module"),
        pytest.param(_Net().forward, "_Net.forward", id="method of a module"),
        pytest.param(torch.compile(_Net()), "_Net.forward", id="compiled module"),
        pytest.param(compiled_in_place(_Net()), "_Net.forward", id="module compiled in place"),
    ],
)  # fmt: skip
def test_every_kind_of_function(function, name) -> None:
    check_kind(explain(function, torch.ones(4)), "torch", name)


def test_a_class_is_no_module() -> None:
    with pytest.raises(TypeError, match="must not be a class: pass an instance of _Net"):
        explain(_Net)


def test_a_function_of_the_framework() -> None:
    explanation = explain(torch.sin, torch.ones(4))
    assert explanation.sources == ()
    assert "no source" in explanation.missing[0]


def test_a_lazy_module() -> None:
    explanation = explain(torch.nn.LazyLinear(4), torch.ones(2, 3))
    assert explanation.found("failed") == []
    assert explanation.programs


class CompiledForward(torch.nn.Module):
    """A module whose forward is compiled, and not the module."""

    @torch.compile(backend="eager")
    def forward(self, x):
        """Two operations."""
        y = x * 2  # -> A1
        return y + 1  # -> A1


@pytest.mark.parametrize("compiled", [False, True])
def test_a_module_whose_forward_is_compiled(compiled) -> None:
    model = CompiledForward()
    given = torch.compile(model, backend="eager") if compiled else model
    before = set(vars(model))
    check_comments(explain(given, ones()))
    assert set(vars(model)) == before


def halved(x, depth):
    if depth == 0:
        print("leaf")
        return x
    return halved(x / 2, depth - 1) + 1


def test_a_recursive_function_has_as_many_graphs_as_it_has_by_itself() -> None:
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph.forward

    torch.compile(halved, backend=backend)(ones(), 3)
    torch.compiler.reset()
    assert len(explain(halved, ones(), 3).programs) == len(graphs)


def ones():
    return torch.ones(3)
