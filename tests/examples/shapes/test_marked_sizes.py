"""mark_dynamic, mark_static and their like, and what they refuse."""

import logging

import pytest
from shape_programs import EIGHT, marked, traces, traces_of_lengths


@pytest.fixture(autouse=True)
def quiet(torch):
    """A violated constraint is logged too."""
    logger = logging.getLogger("torch._guards")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(level)


def double(x):
    return 2 * x


def by_four(x):
    return 2 * x if x.shape[0] == 4 else 3 * x


def test_a_size_marked_dynamic_is_open_at_the_first_call(torch, in_torch) -> None:
    tensors = [marked(torch, n) for n in EIGHT]
    assert traces(torch, in_torch.center, tensors) == [1] + [0] * 7


def test_it_is_enough_to_mark_the_first_tensor(torch) -> None:
    assert traces(torch, double, [marked(torch, 4), torch.ones(5), torch.ones(6)]) == [1, 0, 0]


def test_the_mark_holds_where_dynamic_is_false(torch) -> None:
    tensors = [marked(torch, n) for n in (4, 5, 6)]
    assert traces(torch, double, tensors, dynamic=False) == [1, 0, 0]


def test_zero_and_one_are_still_special(torch) -> None:
    tensors = [marked(torch, n) for n in (4, 1, 0, 5)]
    assert traces(torch, double, tensors) == [1, 1, 1, 0]


def test_a_first_size_of_one_is_compiled_as_one_in_silence(torch) -> None:
    tensors = [marked(torch, n) for n in (1, 5, 6)]
    assert traces(torch, double, tensors) == [1, 1, 0]


def test_unbacked_sizes_take_zero_and_one_too(torch) -> None:
    tensors = [torch.ones(n) for n in (4, 1, 0, 5)]
    for x in tensors:
        torch._dynamo.decorators.mark_unbacked(x, 0)
    assert traces(torch, double, tensors) == [1, 0, 0, 0]


def test_a_size_marked_static_compiles_each_time_even_if_dynamic_is_true(torch) -> None:
    tensors = [torch.ones(n) for n in EIGHT]
    for x in tensors:
        torch._dynamo.mark_static(x, 0)
    assert traces(torch, double, tensors, dynamic=True) == [1] * 8


def test_a_mark_that_the_code_contradicts_is_an_error(torch) -> None:
    error = torch.fx.experimental.symbolic_shapes.ConstraintViolationError
    with pytest.raises(error, match=r"your code specialized it to be a constant \(4\)"):
        torch.compile(by_four, backend="eager")(marked(torch, 4))
    torch.compiler.reset()
    with pytest.raises(error, match=r"specialized it to be a constant \(4\)"):
        torch.compile(lambda x: x + torch.ones(4), backend="eager")(marked(torch, 4))


def test_maybe_mark_dynamic_gives_way(torch) -> None:
    x = torch.ones(4)
    torch._dynamo.maybe_mark_dynamic(x, 0)
    assert traces(torch, by_four, [x, torch.ones(5)]) == [1, 1]


def test_dynamic_true_gives_way_too(torch) -> None:
    assert traces_of_lengths(torch, by_four, (4, 5, 6), dynamic=True) == [1, 1, 0]


def test_an_if_that_leaves_a_range_is_no_contradiction(torch, in_torch) -> None:
    tensors = [marked(torch, n) for n in (4, 5, 20)]
    assert traces(torch, in_torch.scale_by_length, tensors) == [1, 0, 1]


def test_a_range_may_be_given_and_is_kept(torch) -> None:
    tensors = [marked(torch, n, min=9, max=64) for n in (14, 15)]
    assert traces(torch, double, tensors) == [1, 0]
    error = torch.fx.experimental.symbolic_shapes.ConstraintViolationError
    with pytest.raises(error, match=r"100 not in range \[9, 64\]"):
        torch.compile(double, backend="eager")(marked(torch, 100, min=9, max=64))
