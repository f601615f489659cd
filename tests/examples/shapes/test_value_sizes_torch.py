"""Results whose size depends on values, in PyTorch: graph breaks, and sizes without a value."""

import logging
import operator

import pytest
from needs import needs_compiler

from jaxvstorch import ledger

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

NUMBERS = [[1, -2, 3, 0], [1, 2, 3, 0], [1, 2, 3, 4], [1, -2, -3, 0], [-1, -2, -3, 0]]
# What has a result whose size depends on values, each with something after it.
BY_VALUE = {
    "nonzero": lambda x: torch.nonzero(x > 0) + 1,
    "argwhere": lambda x: torch.argwhere(x > 0) + 1,
    "where": lambda x: torch.where(x > 0)[0] + 1,
    "masked_select": lambda x: torch.masked_select(x, x > 0) + 1,
    "boolean mask": lambda x: x[x > 0] + 1,
    "unique": lambda x: torch.unique(x) + 1,
    "unique_consecutive": lambda x: torch.unique_consecutive(x) + 1,
    "repeat_interleave": lambda x: torch.repeat_interleave(x, x.abs().long()) + 1,
    "bincount": lambda x: torch.bincount(x.abs().long()) + 1,
}
BY_ITEM = {
    "item": lambda x: x * x.sum().item(),
    "float": lambda x: x * float(x.sum()),
    "tolist": lambda x: x * x.long().tolist()[0],
    "zeros of int": lambda x: torch.zeros(int(x[0].abs())) + 1,
    "slice": lambda x: x[: int(x[0].abs())] + 1,
}


@pytest.fixture(autouse=True)
def quiet():
    """Dynamo also logs a graph break at a scalar, and a guard that it could not make."""
    torch._logging.set_logs(dynamo=logging.ERROR)
    yield
    torch._logging.set_logs()


@pytest.fixture
def tensors():
    return [torch.tensor(numbers, dtype=torch.float32) for numbers in NUMBERS]


def calls(function, tensors, **options):
    compiled = torch.compile(function, backend="eager", **options)
    return ledger(compiled, [(x,) for x in tensors])


@pytest.mark.parametrize("name", BY_VALUE | BY_ITEM)
def test_by_default_the_graph_breaks(tensors, name: str) -> None:
    book = calls((BY_VALUE | BY_ITEM)[name], tensors[:1])
    assert book.breaks == [1]
    assert book.calls[0].error is None


@pytest.mark.parametrize("name", BY_VALUE | BY_ITEM)
def test_fullgraph_captures_it_and_one_program_serves_all_values(tensors, name: str) -> None:
    function = (BY_VALUE | BY_ITEM)[name]
    book = calls(function, tensors, fullgraph=True)
    assert (book.programs, book.breaks) == ([1, 0, 0, 0, 0], [0] * 5)
    whole = torch.compile(function, backend="eager", fullgraph=True)
    for x in tensors:
        torch.testing.assert_close(whole(x), function(x))


@pytest.mark.parametrize("name", BY_VALUE)
def test_a_setting_captures_sizes_without_fullgraph(tensors, name: str) -> None:
    assert torch._dynamo.config.capture_dynamic_output_shape_ops is False
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        book = calls(BY_VALUE[name], tensors)
    assert (book.programs, book.breaks) == ([1, 0, 0, 0, 0], [0] * 5)


@pytest.mark.parametrize("name", BY_ITEM)
def test_another_setting_captures_numbers(tensors, name: str) -> None:
    assert torch._dynamo.config.capture_scalar_outputs is False
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        book = calls(BY_ITEM[name], tensors)
    assert (book.programs, book.breaks) == ([1, 0, 0, 0, 0], [0] * 5)


def test_behind_a_break_the_size_of_the_result_is_guarded(tensors) -> None:
    book = calls(BY_VALUE["boolean mask"], tensors)
    assert [len(x[x > 0]) for x in tensors] == [2, 3, 4, 1, 0]
    assert book.programs == [2, 1, 0, 1, 1]


@needs_compiler
def test_inductor_compiles_a_mask_for_all_values(tensors) -> None:
    def positive(x):
        return torch.sin(x[x > 0])

    whole = torch.compile(positive, fullgraph=True)
    book = ledger(whole, [(x,) for x in tensors])
    assert book.programs == [1, 0, 0, 0, 0]
    for x in tensors:
        torch.testing.assert_close(whole(x), positive(x))


def test_the_gradient_goes_through_a_captured_mask(in_torch, tensors) -> None:
    x = tensors[0].requires_grad_()
    whole = torch.compile(in_torch.select_mask, backend="aot_eager", fullgraph=True)
    whole(x, x > 0).sum().backward()
    assert x.grad.tolist() == [1, 0, 1, 0]


def test_the_size_in_the_graph_is_a_symbol_without_a_value(tensors) -> None:
    seen = []

    def note(graph, inputs):
        seen.extend(
            str(node.meta["example_value"])
            for node in graph.graph.find_nodes(op="call_function", target=operator.getitem)
        )
        return graph.forward

    torch.compile(lambda x: x[x > 0], backend=note, fullgraph=True)(tensors[0])
    assert seen == ["FakeTensor(..., size=(u0,))"]


def more_than_one(x, check=False):
    positive = x[x > 0]
    if check:
        torch._check(positive.numel() > 1)
    return 2 * positive if positive.numel() > 1 else x


def test_an_if_on_such_a_size_is_an_error_in_a_whole_graph(tensors) -> None:
    error = torch._dynamo.exc.UserError
    with pytest.raises(
        error, match="Could not guard on data-dependent expression u0 > 1"
    ) as caught:
        calls_one(more_than_one, tensors[0], fullgraph=True)
    assert type(caught.value.__context__).__name__ == "GuardOnDataDependentSymNode"


def test_torch_export_shows_that_error_itself(tensors) -> None:
    class Module(torch.nn.Module):
        def forward(self, x):
            return more_than_one(x)

    error = torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode
    with pytest.raises(error, match="Could not guard on data-dependent expression u0 > 1"):
        torch.export.export(Module(), (tensors[0],))


def calls_one(function, x, **options):
    return torch.compile(function, backend="eager", **options)(x)


def test_without_fullgraph_it_breaks_the_graph_also_where_sizes_are_captured(tensors) -> None:
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        assert calls(more_than_one, tensors[:1]).breaks == [1]


def test_torch_check_decides_the_if_and_is_tested_when_the_program_runs(tensors) -> None:
    def checked(x):
        return more_than_one(x, check=True)

    book = calls(checked, tensors, fullgraph=True)
    assert book.programs == [1, 0, 0, 0, 0]
    assert [call.error is None for call in book.calls] == [True, True, True, False, False]
    assert "Runtime assertion failed for expression u0 >= 2" in book.calls[3].why


def test_sizes_that_must_agree_are_compared_when_the_program_runs(tensors) -> None:
    def add(x):
        return x[x > 0] + x[x < 9]

    with pytest.raises(RuntimeError, match=r"Runtime assertion failed for expression Eq\(u0, u1\)"):
        calls_one(add, tensors[0], fullgraph=True)
    assert calls_one(add, tensors[2], fullgraph=True).tolist() == [2, 4, 6, 8]


def test_a_number_that_comes_in_a_tensor_argument_is_guarded() -> None:
    def zeros(n):
        return torch.zeros(n.item()) + 1

    numbers = [(torch.tensor(n),) for n in (4, 3, 2, 1, 0)]
    whole = torch.compile(zeros, backend="eager", fullgraph=True)
    assert ledger(whole, numbers).programs == [1, 0, 0, 1, 1]


def test_nonzero_static_needs_no_capture(in_torch, tensors) -> None:
    places = torch.compile(in_torch.positive_places, backend="eager")
    book = ledger(places, [(x, 3) for x in tensors])
    assert (book.programs, book.breaks) == ([1, 0, 0, 0, 0], [0] * 5)
    assert [places(x, 3).tolist() for x in tensors[::2]] == [[0, 2, -1], [0, 1, 2], [-1] * 3]


def test_its_fill_of_minus_one_reads_the_last_number(in_torch, tensors) -> None:
    x = tensors[1] + 1
    places = in_torch.positive_places(x * (x < 4), 4)
    assert places.tolist() == [0, 1, 3, -1]
    assert x[places].tolist() == [2, 3, 1, 1]


def test_a_mask_that_is_written_through_breaks_nothing(tensors) -> None:
    def cut(x):
        x = x.clone()
        x[x < 0] = 0
        return x

    book = calls(cut, tensors)
    assert (book.programs, book.breaks) == ([1, 0, 0, 0, 0], [0] * 5)


def test_output_size_saves_repeat_interleave_its_break(in_torch) -> None:
    lengths = torch.tensor([1, 0, 3])
    book = ledger(torch.compile(in_torch.ragged_sums, backend="eager"), [(torch.ones(4), lengths)])
    assert (book.programs, book.breaks) == ([1], [0])
