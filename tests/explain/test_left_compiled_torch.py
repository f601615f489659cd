"""Functions compile as if ``explain`` had never been called: ``torch.compile``."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jaxvstorch import explain, ledger

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


class Backend:
    """Keeps the code of the graphs that it is given, and runs them as they are."""

    def __init__(self) -> None:
        self.graphs: list[str] = []

    def __call__(self, graph: Any, inputs: list[Any]) -> Callable[..., Any]:
        """As ``torch.compile`` calls it."""
        self.graphs.append(graph.code)
        return graph.forward


def smooth(x):
    return torch.sin(x) + 1


def broken(x):
    y = torch.sin(x)
    torch._dynamo.graph_break()
    return helper(y) + 1


def helper(x):
    return torch.cos(x) * 2


def sized(x, name):
    return x * len(name)


def in_a_loop(x):
    for _ in range(3):
        x = helper(x)
        torch._dynamo.graph_break()
    return x


def explained(function: Callable[..., Any], *shape: int) -> None:
    explain(function, torch.ones(shape))


FUNCTIONS = pytest.mark.parametrize("function", [smooth, broken, in_a_loop])


def graphs(function: Callable[..., Any], sizes: list[int], between: Callable[[int], None]) -> Any:
    """The graphs that several calls make, one list per call, with something before each call."""
    torch.compiler.reset()
    backend = Backend()
    compiled = torch.compile(function, backend=backend)
    made = []
    for number, size in enumerate(sizes):
        between(number)
        compiled(torch.ones(size))
        made.append(backend.graphs[sum(map(len, made)) :])
    return made


@FUNCTIONS
@pytest.mark.parametrize("when", [{0}, {1}, {2}, {0, 1, 2, 3}], ids=str)
def test_calls_make_the_graphs_that_they_make_without_it(function, when) -> None:
    sizes = [3, 4, 5, 6]
    alone = graphs(function, sizes, lambda number: None)
    assert [len(programs) for programs in alone[:2]] != [0, 0]
    assert not alone[3]  # from the third call on the size is a symbol

    def explain_it(number: int) -> None:
        if number in when:
            explained(function, 7 + number)

    assert graphs(function, sizes, explain_it) == alone


@FUNCTIONS
def test_what_is_compiled_is_not_compiled_again(function) -> None:
    backend = Backend()
    compiled = torch.compile(function, backend=backend)
    compiled(torch.ones(3))
    before = len(backend.graphs)
    explained(function, 3)
    explained(compiled, 3)
    explained(function, 4)
    assert torch.equal(compiled(torch.ones(3)), function(torch.ones(3)))
    assert len(backend.graphs) == before > 0


def test_a_function_called_inside_stays_compiled_too() -> None:
    backend = Backend()
    compiled = torch.compile(helper, backend=backend)
    compiled(torch.ones(3))
    explained(broken, 3)
    compiled(torch.ones(3))
    assert len(backend.graphs) == 1


def test_a_module_stays_compiled() -> None:
    backend = Backend()
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout())
    compiled = torch.compile(model, backend=backend)
    compiled(torch.ones(3))
    explained(model, 3)
    explained(compiled, 3)
    compiled(torch.ones(3))
    assert len(backend.graphs) == 1


def test_a_module_stays_as_it_was() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout())
    attributes = [set(vars(module)) for module in model.modules()]
    state = {name: value.clone() for name, value in model.state_dict().items()}
    explained(model, 3)
    assert [set(vars(module)) for module in model.modules()] == attributes
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())


def names(backend: Backend, explain_first: bool) -> list[int]:
    torch.compiler.reset()
    compiled = torch.compile(sized, backend=backend)
    made = []
    for letters in range(1, 6):
        if explain_first:
            for more in range(3):
                explain(sized, torch.ones(3), "y" * (letters + 10 * more))
        compiled(torch.ones(3), "x" * letters)
        made.append(len(backend.graphs))
    return made


counts_apart = pytest.mark.skipif(
    "isolate_recompiles" not in inspect.signature(torch.compile).parameters,
    reason="what keeps explain from a function's limit has not run on PyTorch before 2.13",
)


@counts_apart
def test_the_limit_of_recompilations_is_not_used_up() -> None:
    with torch._dynamo.config.patch(recompile_limit=3):
        alone = names(Backend(), explain_first=False)
        assert alone == [1, 2, 3, 3, 3]
        assert names(Backend(), explain_first=True) == alone


@counts_apart
def test_a_function_at_its_limit_is_explained_all_the_same() -> None:
    with torch._dynamo.config.patch(recompile_limit=2):
        names(Backend(), explain_first=False)
        explanation = explain(sized, torch.ones(3), "another")
    assert [program.operations for program in explanation.programs] == [{"A": 1}]


def test_the_whole_graph_is_still_asked_for() -> None:
    compiled = torch.compile(broken, backend="eager", fullgraph=True)
    assert explain(broken, torch.ones(3)).found("break")
    assert explain(compiled, torch.ones(3)).found("failed")
    with pytest.raises(torch._dynamo.exc.Unsupported, match="graph_break"):
        compiled(torch.ones(3))


def test_a_ledger_says_the_same_after_it() -> None:
    calls = [(torch.ones(size),) for size in (3, 3, 4, 5)]
    alone = ledger(torch.compile(broken, backend="eager"), calls).calls
    torch.compiler.reset()
    explained(broken, 8)
    after = ledger(torch.compile(broken, backend="eager"), calls).calls
    assert [call.compilations for call in after] == [call.compilations for call in alone]


def test_a_function_that_dynamo_gave_up_is_given_up_still() -> None:
    backend = Backend()
    compiled = torch.compile(given_up, backend=backend)
    compiled(torch.ones(3))
    before = len(backend.graphs)
    explained(given_up, 3)
    compiled(torch.ones(3))
    assert len(backend.graphs) == before


def given_up(x):
    for value in x.tolist():
        torch._dynamo.graph_break()
        x = x + value
    return x


def test_arguments_keep_their_gradients() -> None:
    parameter = torch.ones(3, requires_grad=True)
    parameter.grad = torch.full((3,), 2.0)
    attributes = dict(vars(parameter))
    explain(smooth, parameter)
    assert parameter.requires_grad
    assert parameter.is_leaf
    assert parameter._version == 0
    assert parameter.grad.tolist() == [2, 2, 2]
    assert dict(vars(parameter)) == attributes


def test_random_numbers_are_drawn_as_in_one_call() -> None:
    def noisy(x):
        return x + torch.randn(3)

    torch.manual_seed(0)
    noisy(torch.ones(3))
    once = torch.randn(())
    torch.manual_seed(0)
    explain(noisy, torch.ones(3))
    assert torch.randn(()) == once


def test_a_compiled_model_that_is_called_inside_keeps_working() -> None:
    backend = Backend()
    model = torch.compile(torch.nn.Linear(3, 1), backend=backend)

    def train(x):
        for _ in range(2):
            print(model(x).sum().item())

    explain(train, torch.ones(4, 3))  # here it is compiled for the first time
    model(torch.ones(4, 3))
    assert len(backend.graphs) == 1
    explain(train, torch.ones(5, 3))
    model(torch.ones(6, 3))
    assert len(backend.graphs) == 2  # a second size has made the size a symbol, as without it
    explain(train, torch.ones(4, 3))
    assert len(backend.graphs) == 2


def test_what_an_explained_function_compiles_keeps_working() -> None:
    backend = Backend()
    made = []

    @torch.compiler.disable
    def compiled_once() -> Any:
        if not made:
            made.append(torch.compile(helper, backend=backend))
            made[0](torch.ones(3))
        return made[0]

    def caching(x):
        return compiled_once()(x) + 1

    explain(caching, torch.ones(3))
    made[0](torch.ones(3))
    assert len(backend.graphs) == 1


def of_any(value):
    return value * 2


def test_a_function_that_there_is_nothing_to_compile_of_stays_compiled() -> None:
    backend = Backend()
    compiled = torch.compile(of_any, backend=backend)
    compiled(torch.ones(3))

    def on_a_number(x):
        print("a break, so that Dynamo is asked about the next call by itself")
        for number in x.tolist():
            of_any(number)
        return x

    explain(on_a_number, torch.ones(3))
    assert torch.equal(compiled(torch.ones(3)), torch.full((3,), 2.0))
    compiled(torch.ones(3, 3))
    assert len(backend.graphs) == 2


def test_a_function_that_dynamo_gave_up_is_explained_all_the_same() -> None:
    torch.compile(given_up, backend="eager")(torch.ones(3))
    findings = explain(given_up, torch.ones(3)).found("break")
    assert ["tolist()" in findings[0].what, "graph_break" in findings[1].what] == [True, True]


def test_the_numbers_of_frames_go_on_where_they_were() -> None:
    from torch._dynamo import convert_frame

    torch.compile(smooth, backend="eager")(torch.ones(3))
    before = convert_frame.FRAME_COUNTER, dict(convert_frame.FRAME_COMPILE_COUNTER)
    explained(broken, 3)
    explained(smooth, 3)
    after = convert_frame.FRAME_COUNTER, dict(convert_frame.FRAME_COMPILE_COUNTER)
    assert after == before


def test_no_name_of_dynamos_is_left_in_the_module() -> None:
    def many_kinds(x):
        with torch.no_grad():
            y = torch.nn.functional.dropout(x) + torch.nn.Linear(3, 3)(x)
            torch._dynamo.graph_break()
            return [np.sin(value) for value in y.tolist()], np.ones(3) + y.numpy()

    before = set(globals()), set(vars(torch.nn.modules.linear))
    explain(many_kinds, torch.ones(3))
    assert (set(globals()), set(vars(torch.nn.modules.linear))) == before
