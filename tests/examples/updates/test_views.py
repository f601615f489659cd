"""Changes in place in PyTorch, views, and what compiling makes of them."""

import pytest
from needs import needs_compiler
from programs import operations


def test_a_slice_or_a_tensor_of_one_integer_is_a_view_and_an_index_with_an_axis_copies(
    torch,
) -> None:
    x = torch.ones(2, 2)
    view, one, copy = x[0], x[torch.tensor(0)], x[torch.tensor([0])]
    x.zero_()
    assert view.tolist() == one.tolist() == [0, 0]
    assert copy.tolist() == [[1, 1]]


@pytest.mark.parametrize("backend", [None, "aot_eager"])
def test_an_exchange_by_views_loses_a_row(torch, in_torch, backend) -> None:
    def exchange(x):
        x[0], x[1] = x[1], x[0]

    function = torch.compile(exchange, backend=backend) if backend else exchange
    x = torch.tensor([[1.0, 1.0], [2.0, 2.0]])
    right = in_torch.swap_rows(x, torch.tensor([0, 1])).tolist()
    function(x)
    assert x.tolist() == [[2, 2], [2, 2]]
    assert right == [[2, 2], [1, 1]]


def test_an_exchange_of_jax_slices_is_right(jax) -> None:
    x = jax.numpy.array([[1.0, 1.0], [2.0, 2.0]])
    assert x.at[0].set(x[1]).at[1].set(x[0]).tolist() == [[2, 2], [1, 1]]


def test_the_graph_has_no_change_in_place_and_the_caller_sees_one(torch) -> None:
    from torch._dynamo.backends.common import aot_autograd

    found = []

    def keep(graph, inputs):
        found.extend(operations(graph))
        return graph.forward

    def double_two(x):
        x[:2].mul_(2)
        return x[1:].sum()

    x = torch.ones(3)
    pointer = x.data_ptr()
    assert torch.compile(double_two, backend=aot_autograd(fw_compiler=keep))(x) == 3
    assert x.tolist() == [2, 2, 1]
    assert x.data_ptr() == pointer
    assert any("slice_scatter" in name for name in found)
    assert not any(name.partition(".")[0].endswith("_") for name in found)


@needs_compiler
def test_inductor_writes_into_the_argument(torch) -> None:
    from torch._inductor.utils import run_and_get_code

    def set_row(x, row):
        x[0] = row

    x = torch.ones(10, 8)
    _, (code,) = run_and_get_code(torch.compile(set_row), x, torch.zeros(8))
    assert x.sum() == 72
    body = code.partition("def call(")[2].partition("def get_args")[0]
    assert body
    assert "empty_strided" not in body


def test_compiled_code_accepts_overlaps_that_eager_mode_refuses(torch) -> None:
    def shift(x):
        x[1:] = x[:-1]
        return x

    def add_to_expanded(x):
        return x.expand(3).add_(1.0)

    cases = ((shift, [0.0, 1.0, 2.0], [0, 0, 1]), (add_to_expanded, [0.0], [3, 3, 3]))
    for function, argument, result in cases:
        with pytest.raises(RuntimeError, match="single memory location"):
            function(torch.tensor(argument))
        compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
        assert compiled(torch.tensor(argument)).tolist() == result


def test_a_shift_before_a_reshape_is_wrong_on_a_cpu(jax) -> None:
    """openxla/xla#49176; where this fails the bug is gone, and its section of the page too."""
    if not (0, 10) <= jax.__version_info__[:2] <= (0, 12):
        pytest.skip("seen with JAX 0.10.2 and 0.12.0")

    def shifted(x):
        base = x + 1
        return base.at[1:].set(base[:-1]).reshape(1, 4, 1)

    x = jax.numpy.arange(4.0).reshape(4, 1)
    assert shifted(x).ravel().tolist() == [1, 1, 2, 3]
    assert jax.jit(shifted)(x).ravel().tolist() == [1, 1, 1, 1]
